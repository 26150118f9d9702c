"use client";

import { useLocale, useTranslations } from "next-intl";
import { KeyIdentity, KeyValue, KeyValueList } from "@/app/_components/key-value";
import { Identity, Ref } from "@/app/_components/ref";
import { auditResults } from "@/app/_components/state-dictionary";
import { Time } from "@/app/_components/time";
import type { AuditEntryView } from "@/server/domain/operations/audit-types";
import { ActorRole, ClinicName } from "./audit-table";
import { useAuditWords } from "./use-audit-words";

/** References only: who, in which role, where, on what, and the stored codes. */
export function AuditIdentities({ entry, zone }: { entry: AuditEntryView; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  const say = useAuditWords();
  const effect = say.effect(entry);
  return (
    <KeyValueList>
      <KeyValue term={t("audit.col.time")} wrap>
        <Time at={entry.at} zone={zone} as="full" locale={locale} />
        <span className="dim">{zone}</span>
      </KeyValue>
      <dt className="sr">UTC</dt>
      <dd className="l2d num">
        <Time at={entry.at} zone="UTC" as="millis" locale={locale} /> {t("audit.databaseClock")}
      </dd>
      <KeyValue term={t("audit.actor.title")}>
        <Ref>{entry.actorRef}</Ref>
      </KeyValue>
      <KeyValue term={t("audit.roleThen")}>
        <ActorRole row={entry} />
      </KeyValue>
      <KeyValue term={t("audit.col.act")}>
        <span className="ref">{entry.act}</span>
      </KeyValue>
      <KeyValue term={t("audit.col.scope")} wrap>
        <Ref>{entry.clinicRef ? `${entry.tenantGroupRef} / ${entry.clinicRef}` : entry.tenantGroupRef}</Ref>
        <span className="dim">
          <ClinicName row={entry} />
        </span>
      </KeyValue>
      {entry.subjectId &&
        (entry.subjectType === "replay" ? (
          <KeyIdentity term="requestId" value={entry.subjectId} head={18} />
        ) : (
          <KeyValue term={t("audit.subject")} copy={entry.subjectId}>
            <Ref>{say.target(entry)}</Ref>
          </KeyValue>
        ))}
      {entry.commandId && <KeyIdentity term={t("evidence.command")} value={entry.commandId} head={13} />}
      {Object.entries(entry.details)
        .filter(([name]) => name !== "ref")
        .map(([name, value]) => (
          <KeyValue key={name} term={name} copy={String(value).length > 24 ? String(value) : undefined}>
            <Identity value={String(value)} head={14} tail={9} />
          </KeyValue>
        ))}
      <KeyValue term={t("audit.col.result")}>
        {t(auditResults[entry.result].label)}
        {effect && <span className="dim">· {effect}</span>}
      </KeyValue>
      {entry.reasonCode && (
        <KeyValue term={t("evidence.code")}>
          <span className="ref">{entry.reasonCode}</span>
        </KeyValue>
      )}
    </KeyValueList>
  );
}
