"use client";

import { useCallback, useEffect, useRef } from "react";

/** What was typed before there was a field for it. */
export type TypedAhead = { text: string; enter: boolean };
const nothing: TypedAhead = { text: "", enter: false };

/**
 * Between the keys that ask for a field and the field itself: what is typed goes to no other part of the page and is kept for it. `take` gives it to the field
 * that has the focus now, and ends the waiting.
 */
export function useTypedAhead(isAsked: boolean, onEscape: () => void): { take(): TypedAhead } {
  const kept = useRef<TypedAhead>(nothing);
  const isWaiting = useRef(false);
  const leave = useRef(onEscape);
  leave.current = onEscape;
  useEffect(() => {
    kept.current = { ...nothing };
    isWaiting.current = isAsked;
    if (!isAsked) return;
    const onKey = (event: KeyboardEvent) => {
      if (!isWaiting.current || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") leave.current();
      else if (event.key === "Enter") kept.current.enter = true;
      else if (event.key === "Backspace") kept.current.text = kept.current.text.slice(0, -1);
      else if (event.key.length === 1) kept.current.text += event.key;
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [isAsked]);
  const take = useCallback(() => {
    isWaiting.current = false;
    const taken = kept.current;
    kept.current = { ...nothing };
    return taken;
  }, []);
  return { take };
}
