import { createLoader, parseAsArrayOf, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { type KeptFilter, sameBy } from "@/app/_components/list/same-filter";
import type { QueueFilter, QueueRange } from "@/server/domain/operations/types";

const tileStates = ["PROCESSED", "DUPLICATE", "RETRYABLE", "QUARANTINED"] as const;
export type TileState = (typeof tileStates)[number];
export const ranges = ["1h", "24h", "7d", "all"] as const satisfies readonly QueueRange[];
export const views = ["all", "decision", "mine"] as const;

export const deliveryParsers = {
  clinic: parseAsString,
  view: parseAsStringLiteral(views).withDefault("all"),
  state: parseAsArrayOf(parseAsStringLiteral(tileStates)).withDefault([]),
  consumer: parseAsString,
  reason: parseAsString,
  since: parseAsStringLiteral(ranges),
  q: parseAsString.withDefault(""),
  row: parseAsString,
};
export const loadDeliveryUrl = createLoader(deliveryParsers);
export type DeliveryUrl = Awaited<ReturnType<typeof loadDeliveryUrl>>;

/** What the queue is asked for; the same on the server and in the browser, so the first page is not read twice. */
export function queueInput(url: Pick<DeliveryUrl, "clinic" | "view" | "state" | "consumer" | "reason" | "since" | "q">): {
  clinic?: string;
  filter: QueueFilter;
} {
  return {
    clinic: url.clinic ?? undefined,
    filter: {
      states: url.state,
      decisionOnly: url.view === "decision",
      mine: url.view === "mine",
      reason: url.reason ?? undefined,
      consumer: url.consumer ?? undefined,
      since: url.since ?? undefined,
      search: url.q.trim() || undefined,
    },
  };
}

/** What a saved view keeps of the address: what filters, and neither the clinic nor the open row. */
export function filterOfUrl(url: Omit<DeliveryUrl, "clinic" | "row">): KeptFilter {
  const { view, state, consumer, reason, since, q } = url;
  const kept = { ...(view === "all" ? {} : { view }), ...(state.length > 0 ? { state: [...state].sort() } : {}) };
  return { ...kept, ...(consumer ? { consumer } : {}), ...(reason ? { reason } : {}), ...(since ? { since } : {}), ...(q ? { q } : {}) };
}

/** The address that a saved view leads to; what this release does not know of it is left out. */
export function urlOfFilter(filter: Record<string, unknown>): Pick<DeliveryUrl, "view" | "state" | "consumer" | "reason" | "since" | "q"> {
  const text = (name: string) => (typeof filter[name] === "string" ? (filter[name] as string) : null);
  const states = Array.isArray(filter.state) ? filter.state : [];
  return {
    view: views.find((view) => view === filter.view) ?? "all",
    state: tileStates.filter((state) => states.includes(state)),
    consumer: text("consumer"),
    reason: text("reason"),
    since: ranges.find((range) => range === filter.since) ?? null,
    q: text("q") ?? "",
  };
}

export const sameFilter = sameBy((filter) => filterOfUrl(urlOfFilter(filter)));
