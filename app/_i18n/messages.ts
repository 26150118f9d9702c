import type en from "./en.json";
import type ko from "./ko.json";
import type { Locale } from "./locales";

declare module "next-intl" {
  interface AppConfig {
    Locale: Locale;
    Messages: typeof en;
  }
}

type Leaves<T, P extends string = ""> = { [K in keyof T & string]: T[K] extends string ? `${P}${K}` : Leaves<T[K], `${P}${K}.`> }[keyof T &
  string];

/** Full key of a message that both languages have, for dictionaries that name a message instead of drawing it. */
export type MessageKey = Leaves<typeof en> & Leaves<typeof ko>;
