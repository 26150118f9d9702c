"use client";

import { useTranslations } from "next-intl";
import { useSyncExternalStore, useTransition } from "react";
import { IconButton } from "@/app/_components/button";
import type { Theme } from "@/app/_components/preferences";
import { keepTheme } from "@/app/_components/preferences-actions";

const query = "(prefers-color-scheme: dark)";
function subscribe(changed: () => void) {
  const media = window.matchMedia(query);
  media.addEventListener("change", changed);
  return () => media.removeEventListener("change", changed);
}

/** Shows the theme at once and keeps the choice; the page that comes back carries the same attribute. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** One click to the other theme. "As the system" is in the user menu. */
export function ThemeSwitch({ theme }: { theme: Theme }) {
  const t = useTranslations();
  const [, start] = useTransition();
  const systemDark = useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => false,
  );
  const dark = theme === "system" ? systemDark : theme === "dark";
  const other: Theme = dark ? "light" : "dark";
  return (
    <IconButton
      name={dark ? "sun" : "moon"}
      className="thm"
      label={t(dark ? "theme.toLight" : "theme.toDark")}
      onClick={() => {
        applyTheme(other);
        start(() => keepTheme(other));
      }}
    />
  );
}
