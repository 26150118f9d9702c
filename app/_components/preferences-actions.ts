"use server";

import { cookies } from "next/headers";
import { localeCookie, type Theme, themeCookie } from "@/app/_components/preferences";
import { isLocale, type Locale } from "@/app/_i18n/locales";
import { readActor } from "@/server/auth/read-actor";
import { createContext } from "@/server/trpc/create-context";
import { appRouter } from "@/server/trpc/root";
import { createCallerFactory } from "@/server/trpc/trpc";

const kept = { path: "/", maxAge: 365 * 24 * 3600, sameSite: "lax", httpOnly: true } as const; // seconds
const isTheme = (value: unknown): value is Theme => value === "system" || value === "light" || value === "dark";

/** Keeps the theme of this browser, and of the person when somebody is signed in. Next draws the page again because a cookie changed. */
export async function keepTheme(theme: Theme): Promise<void> {
  if (!isTheme(theme)) return;
  await setThemeCookie(theme);
  await keepForPerson({ theme });
}

/** Keeps the language of this browser, and of the person when somebody is signed in; unknown values are ignored. */
export async function keepLocale(locale: Locale): Promise<void> {
  if (!isLocale(locale)) return;
  (await cookies()).set(localeCookie, locale, kept);
  await keepForPerson({ locale });
}

async function setThemeCookie(theme: Theme): Promise<void> {
  const jar = await cookies();
  if (theme === "system") jar.delete(themeCookie);
  else jar.set(themeCookie, theme, kept);
}

/** The browser already shows the choice: a database that is away must not undo it. */
async function keepForPerson(preferences: { theme?: Theme; locale?: Locale }): Promise<void> {
  if (!(await readActor())) return;
  const call = createCallerFactory(appRouter)(await createContext());
  await call.session.setPreferences(preferences).catch(() => {});
}
