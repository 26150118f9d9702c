"use client";

import type { ReactNode } from "react";
import { useFetched } from "@/app/_components/use-fetched";

export type DialogFrame = { title: string; description?: string };

const fetchParts = () => import("@/app/_components/dialog-parts");

/** Modal dialog: focus goes in, stays in and returns; Esc closes. What it is made of is fetched when one is opened for the first time. */
export function Dialog({
  open,
  onOpenChange,
  ...dialog
}: DialogFrame & { open: boolean; onOpenChange(open: boolean): void; children: ReactNode }) {
  const close = () => onOpenChange(false);
  const parts = useFetched(fetchParts, open, close);
  return open && parts ? <parts.OpenDialog {...dialog} onClose={close} /> : null;
}
