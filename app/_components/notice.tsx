import clsx from "clsx";
import type { ReactNode } from "react";
import { type Glyph, Icon } from "@/app/_components/icon";

/** Sentence in a box. `alert` only for a failed action; everything else is read when reached. */
export function Notice({
  glyph,
  family,
  title,
  alert,
  children,
}: {
  glyph: Glyph;
  family?: "hold" | "wait" | "done" | "plan";
  title?: string;
  alert?: boolean;
  children?: ReactNode;
}) {
  return (
    <div className={clsx("note", family)} role={alert ? "alert" : undefined}>
      <Icon name={glyph} />
      <div>
        {title && <b>{title}</b>} {children}
      </div>
    </div>
  );
}

/** Empty, no match, no right and failed reads share this shape: what, then what it means, then one action. */
export function EmptyState({
  glyph,
  title,
  children,
  action,
  alert,
}: {
  glyph: Glyph;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  alert?: boolean;
}) {
  return (
    <div className="em" role={alert ? "alert" : undefined}>
      <Icon name={glyph} />
      <b>{title}</b>
      {children && <p>{children}</p>}
      {action && <div className="bar2 flex gap-2">{action}</div>}
    </div>
  );
}

/** Rows of the real height while the first read is on its way. */
export function SkeletonRows({ rows = 6, label }: { rows?: number; label: string }) {
  return (
    <div aria-busy="true">
      <span className="sr" role="status">
        {label}
      </span>
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without identity
        <div key={i} className="skr" style={{ height: "var(--row)" }}>
          <span>
            <i className="sk" style={{ width: 64 }} />
            <i className="sk" style={{ width: 84, height: 8 }} />
          </span>
          <i className="sk" style={{ width: `${90 - (i % 3) * 8}%` }} />
          <i className="sk" style={{ width: 64, height: 22 }} />
        </div>
      ))}
    </div>
  );
}
