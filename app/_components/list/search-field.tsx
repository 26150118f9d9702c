"use client";

import type { RefObject } from "react";
import { Icon } from "@/app/_components/icon";
import { useTypedSearch } from "@/app/_components/use-typed-search";

type Props = { value: string; label: string; hint: string; onSearch(typed: string): void; inputRef: RefObject<HTMLInputElement | null> };

/** The search of a list: one read for a typed word, Esc leaves the field, "/" stands in it while it is empty. */
export function SearchField({ value, label, hint, onSearch, inputRef }: Props) {
  const [typed, type] = useTypedSearch(value, onSearch);
  return (
    <search className="search">
      <Icon name="search" />
      <input
        ref={inputRef}
        type="search"
        value={typed}
        aria-label={label}
        placeholder={hint}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
      {typed === "" && <kbd>/</kbd>}
    </search>
  );
}
