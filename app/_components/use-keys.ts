"use client";

import { useEffect, useRef } from "react";

const settingKey = "single-keys";

/** Single keys can be turned off (WCAG 2.1.4); the choice stays in this browser. */
export function singleKeysOn(): boolean {
  return typeof window === "undefined" || window.localStorage.getItem(settingKey) !== "off";
}

export function keepSingleKeys(on: boolean): void {
  if (on) window.localStorage.removeItem(settingKey);
  else window.localStorage.setItem(settingKey, "off");
}

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Keys of a page, by `event.key` in lower case ("j", "escape", "?"), or a chord "g d". Off while typing, in menus and dialogs, and when turned off. */
export function useKeys(keys: Record<string, (event: KeyboardEvent) => void>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let first: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key !== "Escape" && (typing(event.target) || !singleKeysOn())) return;
      if (document.querySelector('[role="dialog"],[role="menu"]')) return;
      const name = event.key.toLowerCase();
      const chord = first && latest.current[`${first} ${name}`];
      const found = chord ?? latest.current[name];
      clearTimeout(timer);
      first = Object.keys(latest.current).some((key) => key.startsWith(`${name} `)) ? name : undefined;
      timer = setTimeout(() => {
        first = undefined;
      }, 1000); // a chord is two keys within a second
      if (found) found(event);
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
      clearTimeout(timer);
    };
  }, []);
}
