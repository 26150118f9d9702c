"use client";

import { useLocale, useTranslations } from "next-intl";
import { KeyIdentity, KeyValue, KeyValueList } from "@/app/_components/key-value";
import { Identity, Ref, shortIdentity } from "@/app/_components/ref";
import { Time } from "@/app/_components/time";
import type { DeliveryEvidence } from "@/server/domain/operations/delivery-evidence";

/** Scope, event, position, digests and versions: what tells this row from every other one. */
export function EvidenceIdentities({ evidence }: { evidence: DeliveryEvidence }) {
  const t = useTranslations();
  const locale = useLocale();
  const { scope, event, position, digest, fingerprint } = evidence;
  return (
    <KeyValueList>
      <KeyValue term={t("evidence.scope")} wrap>
        <Ref>{scope.tenantGroupRef}</Ref>
        <span className="dim">/</span>
        <Ref>{scope.clinicRef}</Ref>
        <span className="dim">{scope.clinicName}</span>
      </KeyValue>
      {event && (
        <KeyValue term={t("evidence.event")}>
          {event.type}
          <span className="dim">· v{event.schemaVersion}</span>
        </KeyValue>
      )}
      {event && <KeyIdentity term={t("evidence.identity")} value={event.id} head={13} />}
      {event && (
        <KeyValue term={t("evidence.version")}>
          <span className="num">{event.sequence}</span>
          {evidence.appointment && <span className="dim">· {t("evidence.nowVersion", { version: evidence.appointment.version })}</span>}
        </KeyValue>
      )}
      <KeyValue term={t("evidence.consumer")}>
        {evidence.consumer ?? (evidence.kind === "command" ? "appointment-api" : "outbox-relay")}
      </KeyValue>
      <KeyValue
        term={t("evidence.provenance")}
        copy={position ? `${position.logId} ${position.topic} ${position.partition} ${position.lastOffset}` : undefined}
      >
        {position ? (
          <>
            {t("evidence.partition")} <b className="b5 num">{position.lastPartition}</b>
            <span className="dim">·</span>offset <b className="b5 num">{position.lastOffset}</b>
            {position.firstOffset !== position.lastOffset && (
              <span className="dim num">· {t("evidence.firstOffset", { offset: position.firstOffset })}</span>
            )}
          </>
        ) : (
          <span className="dim">{t("evidence.notPublished")}</span>
        )}
      </KeyValue>
      {position && (
        <>
          <dt className="sr">{t("evidence.topic")}</dt>
          <dd className="l2d">
            {position.topic} · <span title={position.logId}>{shortIdentity(position.logId, 11)}</span>
          </dd>
        </>
      )}
      {evidence.commandId && <KeyIdentity term={t("evidence.command")} value={evidence.commandId} head={13} />}
      {fingerprint ? (
        <KeyIdentity term="Fingerprint" value={fingerprint.value} />
      ) : (
        <KeyValue term="Fingerprint">
          <span className="dim">{t("evidence.noFingerprint")}</span>
        </KeyValue>
      )}
      {digest && <KeyIdentity term={t("evidence.digest")} value={digest.value} />}
      <KeyValue term="requestId" copy={evidence.replayRequestId ?? undefined}>
        {evidence.replayRequestId ? (
          <Identity value={evidence.replayRequestId} head={23} />
        ) : (
          <span className="dim">{t("evidence.noRequest")}</span>
        )}
      </KeyValue>
      {evidence.reasonCode && (
        <KeyValue term={t("evidence.code")}>
          <span className="ref">{evidence.reasonCode}</span>
        </KeyValue>
      )}
      {evidence.leaseOwner && evidence.leaseUntil && (
        <KeyValue term="lease">
          {evidence.leaseOwner}
          <span className="dim">
            · <Time at={evidence.leaseUntil} zone={scope.zone} as="seconds" locale={locale} />
          </span>
        </KeyValue>
      )}
      {evidence.rowVersion && (
        <KeyValue term={t("evidence.rowVersion")}>
          <span className="num">{evidence.rowVersion}</span>
          {evidence.fence && <span className="dim num">· fence {evidence.fence}</span>}
        </KeyValue>
      )}
    </KeyValueList>
  );
}
