"use client";

import type { ReactNode } from "react";
import { KeyHint } from "@/app/_components/key-hint";

/** Foot of a list screen: how much is shown, in which zone its times are, and the keys that work here. */
export function ListFoot({ shown, zone, hints }: { shown: ReactNode; zone?: string; hints: [keys: string, word: string][] }) {
  return (
    <div className="foot">
      <span className="num" role="status">
        {shown}
      </span>
      {zone && <span className="zone1">{zone}</span>}
      <span className="sp" />
      {hints.map(([keys, word]) => (
        <span className="kb" key={keys}>
          <KeyHint keys={keys} /> {word}
        </span>
      ))}
    </div>
  );
}
