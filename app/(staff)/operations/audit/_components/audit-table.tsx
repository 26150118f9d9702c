"use client";

import { useLocale, useTranslations } from "next-intl";
import { Identity, Ref } from "@/app/_components/ref";
import { StateWord } from "@/app/_components/state";
import { auditResults } from "@/app/_components/state-dictionary";
import { formatOffset, formatTime, Time, zonedParts } from "@/app/_components/time";
import type { AuditRow } from "@/server/domain/operations/audit-types";
import { useAuditWords } from "./use-audit-words";

type Props = {
  rows: AuditRow[];
  zone: string;
  openId: string | null;
  focusId: string | null;
  onOpen(id: string): void;
  onFocusRow(id: string): void;
};

/** A table from 768 px, cards below. */
export function AuditTable({ rows, zone, openId, focusId, onOpen, onFocusRow }: Props) {
  const t = useTranslations();
  const inTabOrder = rows.some((row) => row.id === focusId) ? focusId : rows[0]?.id;
  return (
    <>
      <table className="q audit">
        <caption className="sr">{t("audit.entries")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("audit.col.time")}</th>
            <th scope="col">{t("audit.col.actor")}</th>
            <th scope="col">{t("audit.col.act")}</th>
            <th scope="col" className="drop2">
              {t("audit.col.scope")}
            </th>
            <th scope="col">{t("audit.col.result")}</th>
            <th scope="col">{t("audit.col.reason")}</th>
            <th scope="col" className="drop1">
              {t("audit.col.digest")}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={row.id}
              data-row={row.id}
              tabIndex={row.id === inTabOrder ? 0 : -1}
              aria-selected={row.id === openId}
              onFocus={() => onFocusRow(row.id)}
              onClick={() => onOpen(row.id)}
              onKeyDown={(event) => {
                if (event.key === "Enter") onOpen(row.id);
              }}
            >
              <Cells row={row} zone={row.zone ?? zone} />
            </tr>
          ))}
        </tbody>
      </table>
      <div className="cards">
        {rows.map((row) => (
          <Card key={row.id} row={row} zone={row.zone ?? zone} onOpen={onOpen} />
        ))}
      </div>
    </>
  );
}

function Cells({ row, zone }: { row: AuditRow; zone: string }) {
  const locale = useLocale();
  const say = useAuditWords();
  const effect = say.effect(row);
  return (
    <>
      <td className="num">
        <span className="l1">
          <Time at={row.at} zone={zone} as="seconds" locale={locale} />
        </span>
        <span className="l2">
          {formatTime(row.at, zone, "day", locale)}, {formatOffset(zonedParts(row.at, zone).offsetMinutes)}
        </span>
      </td>
      <td>
        <span className="l1 b6">
          <Ref>{row.actorRef}</Ref>
        </span>
        <span className="l2">
          <ActorRole row={row} />
        </span>
      </td>
      <td>
        <span className="l1 b5">{say.act(row.act)}</span>
        <span className="l2">
          <Ref>{say.target(row)}</Ref>
        </span>
      </td>
      <td className="drop2">
        <span className="l1">
          <Ref>{row.clinicRef ?? row.tenantGroupRef}</Ref>
        </span>
        <span className="l2">
          <ClinicName row={row} />
        </span>
      </td>
      <td>
        <span className="l1">
          <StateWord entry={auditResults[row.result]} />
        </span>
        <span className="l2 ind">{effect}</span>
      </td>
      <td>
        <span className="why">{say.reason(row)}</span>
      </td>
      <td className="drop1">{row.digest && <Identity value={row.digest} head={4} tail={2} />}</td>
    </>
  );
}

/** The role at the time; who is no person has none. */
export function ActorRole({ row }: { row: AuditRow }) {
  const t = useTranslations();
  const say = useAuditWords();
  if (row.actorRole) return <>{say.role(row.actorRole)}</>;
  switch (row.actorKind) {
    case "person":
      return <>{t("audit.noRole")}</>;
    case "token":
      return <>{t("audit.kind.token")}</>;
    case "worker":
      return <>{t("audit.kind.worker")}</>;
    case "command-line":
      return <>{t("audit.kind.commandLine")}</>;
  }
}

export function ClinicName({ row }: { row: AuditRow }) {
  const t = useTranslations();
  return <>{row.clinicRef ? row.clinicName : t("audit.wholeGroup")}</>;
}

function Card({ row, zone, onOpen }: { row: AuditRow; zone: string; onOpen(id: string): void }) {
  const t = useTranslations();
  const locale = useLocale();
  const say = useAuditWords();
  return (
    <article className="cd">
      <div className="r1">
        <Ref>{row.actorRef}</Ref>
        <StateWord entry={auditResults[row.result]} />
        <span className="nx num">
          <Time at={row.at} zone={zone} as="seconds" locale={locale} />
        </span>
      </div>
      <p className="why2">
        {say.act(row.act)} <Ref>{say.target(row)}</Ref>
      </p>
      <div className="r3">
        <div className="m">
          <ActorRole row={row} /> · <Ref>{row.clinicRef ?? row.tenantGroupRef}</Ref>
          <br />
          {say.reason(row)}
        </div>
        <button
          type="button"
          className="btn"
          onClick={() => onOpen(row.id)}
          aria-label={t("audit.openOf", { act: say.act(row.act), who: row.actorRef })}
        >
          {t("audit.open")}
        </button>
      </div>
    </article>
  );
}
