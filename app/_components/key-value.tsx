"use client";

import clsx from "clsx";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { Icon } from "@/app/_components/icon";
import { Identity } from "@/app/_components/ref";

/** Button that copies a full value; says so to people who cannot see the tick. */
export function CopyButton({ value, of }: { value: string; of: string }) {
  const t = useTranslations();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    } catch {
      setCopied(false); // no clipboard in this context: the full value is in the title
    }
  };
  return (
    <button type="button" className="cp" aria-label={t("evidence.copy", { of })} title={t("evidence.copy", { of })} onClick={copy}>
      <Icon name={copied ? "check" : "copy"} />
      <span className="sr" role="status">
        {copied ? t("evidence.copied") : ""}
      </span>
    </button>
  );
}

export function KeyValueList({ className, children }: { className?: string; children: ReactNode }) {
  return <dl className={clsx("kv", className)}>{children}</dl>;
}

/** One term of the evidence. `copy` is the full value behind a shortened one. */
export function KeyValue({ term, copy, wrap, children }: { term: string; copy?: string; wrap?: boolean; children: ReactNode }) {
  return (
    <>
      <dt>{term}</dt>
      <dd className={wrap ? "wrap" : undefined}>
        {children}
        {copy && <CopyButton value={copy} of={term} />}
      </dd>
    </>
  );
}

/** A long identity with its copy button. */
export function KeyIdentity({ term, value, head, tail }: { term: string; value: string; head?: number; tail?: number }) {
  return (
    <KeyValue term={term} copy={value}>
      <Identity value={value} head={head} tail={tail} />
    </KeyValue>
  );
}
