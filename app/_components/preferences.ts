import { cookies } from "next/headers";
import { cache } from "react";
import { defaultLocale, isLocale, type Locale } from "@/app/_i18n/locales";
import { getQueryClient, trpc } from "@/app/_trpc/server";
import { readActor } from "@/server/auth/read-actor";

export type Theme = "system" | "light" | "dark";
export const themeCookie = "theme";
export const localeCookie = "locale";

/** Theme chosen in this browser, else the one the signed-in person keeps; "system" until somebody chooses. */
export async function readTheme(): Promise<Theme> {
  const value = (await cookies()).get(themeCookie)?.value;
  if (value === "light" || value === "dark") return value;
  return (await preferencesOfPerson())?.theme ?? "system";
}

/** Language chosen in this browser, else the signed-in person's, else the first one the browser asks for that we have. */
export async function readLocale(acceptLanguage: string | null): Promise<Locale> {
  const value = (await cookies()).get(localeCookie)?.value;
  if (isLocale(value)) return value;
  const person = await preferencesOfPerson();
  if (person) return person.locale;
  const wished = acceptLanguage?.split(",").map((part) => part.trim().slice(0, 2).toLowerCase()) ?? [];
  return wished.find(isLocale) ?? defaultLocale;
}

/** Once for each drawing. Without a database every page still has a language and a theme. */
const preferencesOfPerson = cache(async () => {
  try {
    if (!(await readActor())) return undefined;
    return (await getQueryClient().fetchQuery(trpc.session.me.queryOptions())).preferences;
  } catch {
    return undefined;
  }
});
