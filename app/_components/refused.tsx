import type { ReactNode } from "react";
import { EmptyState } from "@/app/_components/notice";

/** Inside the frame: what cannot be opened, and who can grant it. */
export function Refused({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="main full" id="content">
      <h1 className="sr">{title}</h1>
      <EmptyState glyph="lock" title={title}>
        {children}
      </EmptyState>
    </main>
  );
}
