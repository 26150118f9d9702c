"use client";

import { useQueryStates } from "nuqs";
import { deliveryParsers, queueInput } from "./delivery-url";

/** Everything that decides what the screen shows stands in the URL: a link is the same screen, Back undoes a filter. */
export function useDeliveryUrl() {
  const [url, setUrl] = useQueryStates(deliveryParsers, { history: "push", scroll: false });
  return { url, setUrl, input: queueInput(url) };
}
