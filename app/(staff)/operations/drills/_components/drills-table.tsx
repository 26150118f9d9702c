"use client";

import { useTranslations } from "next-intl";
import { Fragment } from "react";
import { Button } from "@/app/_components/button";
import type { MessageKey } from "@/app/_i18n/messages";
import type { DrillGroup, DrillName } from "@/server/domain/drills/catalog";
import { CarriedOut, LastRun, Result, RunbookLink } from "./drill-cells";
import { drillWords } from "./drill-dictionary";
import { isUnderWay, type ListedDrill } from "./listed-drill";

type Props = {
  drills: ListedDrill[];
  openName: string | null;
  zone: string;
  nowMs: number | undefined;
  online: boolean;
  isSending: boolean;
  onOpen(drill: DrillName): void;
  onStart(drill: ListedDrill): void;
};

const groups: Record<DrillGroup, { title: MessageKey; note: MessageKey }> = {
  delivery: { title: "drill.group.delivery", note: "drill.group.deliveryNote" },
  planning: { title: "drill.group.planning", note: "drill.group.planningNote" },
  infrastructure: { title: "drill.group.infrastructure", note: "drill.group.infrastructureNote" },
};

/** A row for each drill; why one cannot be started stands in its group's heading or below its button. */
export function DrillsTable({ drills, ...rest }: Props) {
  const t = useTranslations();
  return (
    <table className="q">
      <caption className="sr">{t("drill.caption")}</caption>
      <colgroup>
        {["c0", "c1", "c2", "c3", "c4", "c5"].map((name) => (
          <col key={name} className={name} />
        ))}
      </colgroup>
      <thead>
        <tr>
          <th scope="col">{t("drill.col.drill")}</th>
          <th scope="col">{t("drill.col.lastRun")}</th>
          <th scope="col">{t("drill.col.result")}</th>
          <th scope="col">{t("drill.col.carriedOut")}</th>
          <th scope="col">{t("drill.col.notProven")}</th>
          <th scope="col">{t("drill.col.next")}</th>
        </tr>
      </thead>
      {(Object.keys(groups) as DrillGroup[]).map((group) => {
        const own = drills.filter((drill) => drill.group === group);
        return (
          <tbody key={group}>
            <tr className="grp">
              <th colSpan={6} scope="rowgroup">
                {t(groups[group].title)}
                <span className="n" id={`drills-${group}`}>
                  {t(groups[group].note, { count: own.length })}
                </span>
              </th>
            </tr>
            {own.map((drill) => (
              <Row key={drill.name} drill={drill} {...rest} />
            ))}
          </tbody>
        );
      })}
    </table>
  );
}

function Row({ drill, openName, zone, nowMs, online, isSending, onOpen, onStart }: Omit<Props, "drills"> & { drill: ListedDrill }) {
  const t = useTranslations();
  const { name, run } = drill;
  const isOpen = openName === name;
  return (
    <tr aria-current={isOpen || undefined} className={isOpen ? "live1" : undefined}>
      <td>
        <span className="l1">
          <button type="button" className="code lnk" data-drill={name} onClick={() => onOpen(name)} title={t("drill.openNamed", { name })}>
            {name}
          </button>
        </span>
        <span className="l2">{t(drillWords[name].what)}</span>
      </td>
      <td>
        <LastRun run={run} zone={zone} nowMs={nowMs} />
      </td>
      <td>
        <Result drill={drill} />
      </td>
      <td>
        <CarriedOut drill={drill} />
      </td>
      <td>
        <span className="no">{t(drillWords[name].without)}</span>
      </td>
      <td>
        <span className="acts">
          <NextAction {...{ drill, online, isSending, onOpen, onStart }} />
          <RunbookLink drill={drill} />
        </span>
      </td>
    </tr>
  );
}

type NextProps = Pick<Props, "online" | "isSending" | "onOpen" | "onStart"> & { drill: ListedDrill };

/** Watch what runs, investigate what failed, start the rest; a button that is off says why in its description. */
function NextAction({ drill, online, isSending, onOpen, onStart }: NextProps) {
  const t = useTranslations();
  const { name, run, start } = drill;
  if (isUnderWay(drill))
    return (
      <Button size="sm" look="quiet" onClick={() => onOpen(name)} aria-label={t("drill.openNamed", { name })}>
        {t("drill.watch")}
      </Button>
    );
  if (run?.state === "FAILED")
    return (
      <Button size="sm" onClick={() => onOpen(name)} aria-label={`${t("drill.investigate")} ${name}`}>
        {t("drill.investigate")}
      </Button>
    );
  const isOff = !start.allowed || !online;
  return (
    <Fragment>
      <Button
        size="sm"
        icon={isOff ? "lock" : undefined}
        busy={isSending || undefined}
        offBecause={isOff ? offBecause(drill) : undefined}
        onClick={() => onStart(drill)}
        aria-label={t("drill.startNamed", { name })}
      >
        {t("drill.start")}
      </Button>
      {isOff && drill.startedFrom === "page" && (
        <span className="sr" id={`why-${name}`}>
          {t(start.allowed ? "drill.why.OFFLINE" : start.why === "ANOTHER_RUNS" ? "drill.why.ANOTHER_RUNS" : "drill.why.RIGHT_MISSING", {
            right: "STAFF",
          })}
        </span>
      )}
    </Fragment>
  );
}

const offBecause = ({ name, startedFrom, group }: ListedDrill): string => (startedFrom === "page" ? `why-${name}` : `drills-${group}`);
