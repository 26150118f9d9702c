import clsx from "clsx";

/** Short reference (APT-7F3K) in the interface face with a slashed zero. */
export function Ref({ children, className }: { children: string; className?: string }) {
  const head = /^[A-Z]+-/.exec(children)?.[0] ?? "";
  return (
    <span className={clsx("id", className)}>
      {head && <span className="pre">{head}</span>}
      {children.slice(head.length)}
    </span>
  );
}

/** Long identity (digest, key, UUID) in mono, shortened in the middle; the full value is what copy takes. */
export function shortIdentity(value: string, head = 8, tail = 4): string {
  return value.length <= head + tail + 1 ? value : `${value.slice(0, head)}…${value.slice(-tail)}`;
}

export function Identity({ value, head, tail }: { value: string; head?: number; tail?: number }) {
  return (
    <span className="ref" title={value}>
      {shortIdentity(value, head, tail)}
    </span>
  );
}
