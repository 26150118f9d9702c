"use client";

import clsx from "clsx";
import { useLocale, useTranslations } from "next-intl";
import { useCallback, useMemo } from "react";
import { Icon } from "@/app/_components/icon";
import { formatOffset, formatTime } from "@/app/_components/time";
import { useServerNow } from "@/app/_components/use-now";
import type { DeskColumn, DeskDay, DeskVisit } from "@/server/domain/operations/desk-day";
import { CalendarBlocks } from "./calendar-blocks";
import { CalendarLane } from "./calendar-lane";
import { clockChange, goesBack } from "./clock-change";
import type { FactsAsk } from "./facts/facts-ask";
import { FactsMenu } from "./facts/facts-menu";
import { HourLines } from "./hour-lines";

const hourMs = 3_600_000;
export type Choice = {
  startsAt: string;
  endsAt: string;
  doctorId: string | null;
  equipmentIds: readonly string[];
  label: string;
  sent: boolean;
};

type Props = {
  day: DeskDay;
  /** When `day.asOf` was read, by this machine's clock; undefined while another day is on its way. */
  readAtMs: number | undefined;
  openId: string | null;
  choice: Choice | null;
  onOpen(id: string): void;
  onFacts(ask: FactsAsk): void;
};

/** A quarter of an hour has to be a target of its own where visits are that short. */
export const pxPerHourOf = (day: Pick<DeskDay, "treatments">): number =>
  Math.min(...day.treatments.map((one) => one.durationMinutes), 30) < 20 ? 100 : 76;

/**
 * Doctors, then devices and rooms, as columns of one day. Real time runs down: an hour that comes twice is drawn twice. What is not changed is not drawn
 * again: each column and block depends on its own rows only, and the now-line has a clock of its own.
 */
export function Calendar({ day, readAtMs, openId, choice, onOpen, onFacts }: Props) {
  const t = useTranslations();
  const from = Date.parse(day.from);
  const until = Date.parse(day.until);
  const scale = pxPerHourOf(day);
  const { zone } = day.clinic;
  const y = useCallback((ms: number) => ((ms - from) / hourMs) * scale, [from, scale]);
  const change = useMemo(() => clockChange(from, until, zone), [from, until, zone]);
  const doctors = day.columns.filter((column) => column.kind === "DOCTOR").length;
  const minWidth = 56 + doctors * 132 + (day.columns.length - doctors) * 104;
  const gridTemplateColumns = day.columns.map((column) => (column.kind === "DOCTOR" ? "minmax(0, 1fr)" : "minmax(0, 0.68fr)")).join(" ");
  const names = useMemo(() => new Map(day.columns.map((column) => [column.id, column.name])), [day.columns]);
  const visitsOf = useMemo(() => byColumn(day.columns, day.visits), [day.columns, day.visits]);
  return (
    <div className="calwrap" style={{ minWidth }}>
      <div className="ch" style={{ gridTemplateColumns }}>
        {day.columns.map((column, i) => (
          <div key={column.id} className={clsx(column.kind !== "DOCTOR" && "eq", i === doctors && "e0")}>
            <span className="n">
              {column.kind === "DEVICE" && <Icon name="device" />}
              {column.kind === "ROOM" && <Icon name="clinic" />}
              <span className="trunc" title={column.name}>
                {column.name}
              </span>
              <FactsMenu column={column} onAsk={onFacts} />
            </span>
            <span className="s">{[column.detail, t("desk.columnVisits", { count: column.visits })].filter(Boolean).join(" · ")}</span>
          </div>
        ))}
      </div>
      <div className="cal" style={{ height: y(until) + 1 }}>
        <HourLines from={from} until={until} zone={zone} y={y} />
        <NowLine asOf={day.asOf} readAtMs={readAtMs} from={from} until={until} zone={zone} y={y} />
        {goesBack(change) && (
          <div className="rep" style={{ top: y(change.atMs) }}>
            <b>{t("desk.clocksGoBack", { from: change.to, until: change.from, offset: formatOffset(change.afterMinutes) })}</b>
          </div>
        )}
        <div className="lanes" style={{ gridTemplateColumns }}>
          <CalendarBlocks blocks={day.blocks} zone={zone} columnId={null} y={y} />
          {day.columns.map((column, i) => {
            const visits = visitsOf.get(column.id) ?? none;
            return (
              <CalendarLane
                key={column.id}
                column={column}
                isFirstThing={i === doctors}
                visits={visits}
                blocks={day.blocks}
                zone={zone}
                y={y}
                names={names}
                openId={visits.some((visit) => visit.id === openId) ? openId : null}
                choice={choice && (choice.doctorId === column.id || choice.equipmentIds.includes(column.id)) ? choice : null}
                onOpen={onOpen}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

const none: DeskVisit[] = [];

/** The visits of each doctor, and of each device and room the ones that use it. */
function byColumn(columns: DeskColumn[], visits: DeskVisit[]): Map<string, DeskVisit[]> {
  const found = new Map<string, DeskVisit[]>(columns.map((column) => [column.id, []]));
  for (const visit of visits) {
    found.get(visit.doctorId)?.push(visit);
    for (const id of new Set(visit.equipment.map((use) => use.equipmentId))) found.get(id)?.push(visit);
  }
  return found;
}

type NowProps = { asOf: string; readAtMs: number | undefined; from: number; until: number; zone: string; y(ms: number): number };

/** The clinic's now. Behind the blocks, and the only part of the calendar that moves by itself. */
function NowLine({ asOf, readAtMs, from, until, zone, y }: NowProps) {
  const locale = useLocale();
  const nowMs = useServerNow(Date.parse(asOf), readAtMs, 10_000);
  if (nowMs === undefined || nowMs < from || nowMs >= until) return null;
  return (
    <div className="now" style={{ top: y(nowMs) }}>
      <b>{formatTime(nowMs, zone, "clock", locale)}</b>
    </div>
  );
}
