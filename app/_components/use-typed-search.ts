"use client";

import { useEffect, useRef, useState } from "react";

const waitMs = 300;

/**
 * A search field over a value that lives elsewhere (the URL): one read for a typed word, not one for each letter. Only typing starts the wait, so a
 * value that changed elsewhere (filters cleared, a step back) is never written over by what stood in the field before.
 *
 * @param value What is searched for now.
 * @param search Takes what was typed, 300 ms after the last letter.
 */
export function useTypedSearch(value: string, search: (typed: string) => void): [typed: string, type: (next: string) => void] {
  const [typed, setTyped] = useState(value);
  const searched = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (value === searched.current) return;
    clearTimeout(timer.current);
    searched.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (next: string) => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      searched.current = next;
      search(next);
    }, waitMs);
  };
  return [typed, type];
}
