import { headers } from "next/headers";
import { getRequestConfig } from "next-intl/server";
import { readLocale } from "@/app/_components/preferences";
import en from "./en.json";
import ko from "./ko.json";

/** One language per request. Both files have the same keys (messages.test.ts), so there is no fallback to draw by mistake. */
export default getRequestConfig(async () => {
  const locale = await readLocale((await headers()).get("accept-language"));
  return { locale, messages: locale === "ko" ? ko : en, timeZone: "UTC" };
});
