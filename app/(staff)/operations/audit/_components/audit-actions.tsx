"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { epochMs } from "@/app/_components/time";
import type { AuditEntryView } from "@/server/domain/operations/audit-types";

/** Copies the entry as JSON, without what somebody typed as the reason, and leads to the entries of the same request. */
export function AuditActions({ entry, onShowRelated }: { entry: AuditEntryView; onShowRelated(of: string): void }) {
  const t = useTranslations();
  const [copied, setCopied] = useState<string>();
  const copy = () =>
    navigator.clipboard
      .writeText(asJson(entry))
      .then(() => setCopied(entry.id))
      .catch(() => setCopied(undefined));
  const isCopied = copied === entry.id;
  const { relatedOf, relatedCount } = entry;
  return (
    <div className="act">
      <p className="why">
        <Icon name="info" />
        <span>{t.rich("audit.noEntryNoAct", { b: (chunks) => <b>{chunks}</b> })}</span>
      </p>
      <div className="rowb">
        <Button className="grow" icon={isCopied ? "check" : "copy"} onClick={copy}>
          {t("audit.copyJson")}
          <span className="sr" role="status">
            {isCopied ? t("evidence.copied") : ""}
          </span>
        </Button>
        {relatedOf && relatedCount > 1 && (
          <Button onClick={() => onShowRelated(relatedOf)}>{t("audit.showRelated", { count: relatedCount })}</Button>
        )}
      </div>
    </div>
  );
}

/** The same fields as an export, and the place in the chain. */
function asJson(entry: AuditEntryView): string {
  const {
    related: _related,
    relatedCount: _count,
    relatedOf: _of,
    asOf: _asOf,
    reason,
    zone: _zone,
    clinicName: _name,
    at,
    ...fields
  } = entry;
  return JSON.stringify({ ...fields, at: new Date(epochMs(at)).toISOString(), reasonTyped: reason !== null }, null, 2);
}
