import type { ReactNode } from "react";

/** Head of a list screen: its name, what it is for in one line, then what stands at the right (live indicator, menus). */
export function PaneHead({ title, sub, children }: { title: string; sub: string; children?: ReactNode }) {
  return (
    <div className="phead">
      <h1>{title}</h1>
      <span className="sub">{sub}</span>
      {children}
    </div>
  );
}
