"use client";

import { Icon } from "@/app/_components/icon";

/** Rows that came while somebody reads wait behind this counter. */
export function NewRows({ count, words, onShow }: { count: number; words: string; onShow(): void }) {
  if (count === 0) return null;
  return (
    <button type="button" className="newbar" onClick={onShow}>
      <Icon name="up" />
      {words}
    </button>
  );
}
