import type { ReactNode } from "react";
import { Icon } from "@/app/_components/icon";

/** A page of one column: root, sign-in, and the answers that are not a screen. */
export function Sheet({ title, text, children }: { title: string; text?: string; children?: ReactNode }) {
  return (
    <main className="sheet1" id="content">
      <div className="grid gap-4">
        <Icon name="mark" className="mark" />
        <h1 className="text-page font-semibold leading-7 tracking-tight">{title}</h1>
        {text && <p className="text-lead leading-5 text-2nd text-pretty">{text}</p>}
        {children}
      </div>
    </main>
  );
}
