"use client";

import clsx from "clsx";
import { useLocale, useTranslations } from "next-intl";
import { memo } from "react";
import { formatExactTime, repeatedReading } from "@/app/_components/time";
import type { DeskBlock, DeskColumn, DeskVisit } from "@/server/domain/operations/desk-day";
import type { Choice } from "./calendar";
import { CalendarBlocks } from "./calendar-blocks";
import { ChosenTime } from "./chosen-time";
import { placeVisits } from "./place-visits";
import { VisitBlock } from "./visit-block";

const hourMs = 3_600_000;
/** A block is never lower than a target may be (24 px, WCAG 2.5.8); shorter visits stand side by side instead of on top of each other. */
const heightMin = 24;

type LaneProps = {
  column: DeskColumn;
  isFirstThing: boolean;
  visits: DeskVisit[];
  blocks: DeskBlock[];
  zone: string;
  y(ms: number): number;
  names: Map<string, string>;
  openId: string | null;
  choice: Choice | null;
  onOpen(id: string): void;
};

/** One doctor, device or room: when it cannot be used, its visits, and the time that is being chosen. Drawn again only when its own rows changed. */
export const CalendarLane = memo(function CalendarLane(props: LaneProps) {
  const { column, isFirstThing, blocks, zone, y, choice, names } = props;
  const t = useTranslations();
  return (
    <section
      className={clsx("lane", column.kind !== "DOCTOR" && "eq", isFirstThing && "e0")}
      aria-label={t("desk.column", { name: column.name })}
    >
      <CalendarBlocks blocks={blocks} zone={zone} columnId={column.id} y={y} />
      {column.kind === "DOCTOR" ? <DoctorVisits {...props} /> : <ThingVisits {...props} />}
      {choice && (
        <ChosenTime choice={choice} usedBy={column.kind === "DOCTOR" ? null : (names.get(choice.doctorId ?? "") ?? "")} zone={zone} y={y} />
      )}
    </section>
  );
});

const heightOf = (from: number, until: number, y: (ms: number) => number) => Math.max(heightMin, y(until) - y(from) - 1);

/** As long as it is drawn: what would be too low for a target takes more room, so the next one moves aside. */
function spanOf(from: string, until: string, y: (ms: number) => number) {
  const fromMs = Date.parse(from);
  const minMs = (heightMin / (y(hourMs) - y(0))) * hourMs;
  return { from: fromMs, until: Math.max(Date.parse(until), fromMs + minMs) };
}

function DoctorVisits({ column, visits, zone, y, openId, onOpen }: LaneProps) {
  const placed = placeVisits(visits.map((visit) => ({ visit, ...spanOf(visit.startsAt, visit.endsAt, y) })));
  return placed.map(({ item: { visit, from, until }, lane, lanes }) => (
    <VisitBlock
      key={visit.id}
      visit={visit}
      doctor={column.name}
      zone={zone}
      open={visit.id === openId}
      offset={repeatedReading(visit.startsAt, zone)?.offset}
      top={y(from) + 1}
      height={heightOf(from, until, y)}
      lane={lane}
      lanes={lanes}
      onOpen={onOpen}
    />
  ));
}

/** What a device or room is used for: beside the doctor's own block, so it is no button of its own. */
function ThingVisits({ column, visits, zone, y, names }: LaneProps) {
  const locale = useLocale();
  const uses = visits.flatMap((visit) => visit.equipment.filter((use) => use.equipmentId === column.id).map((use) => ({ visit, use })));
  const placed = placeVisits(uses.map(({ visit, use }) => ({ visit, ...spanOf(use.from, use.until, y) })));
  return placed.map(({ item, lane, lanes }) => (
    <div
      key={`${item.visit.id}.${item.from}`}
      className={clsx("ap eq", heightOf(item.from, item.until, y) < 36 && "low")}
      style={{
        top: y(item.from) + 1,
        height: heightOf(item.from, item.until, y),
        left: `calc(3px + ${(lane / lanes) * 100}%)`,
        width: `calc(${100 / lanes}% - 6px)`,
      }}
    >
      <span className="a">
        {formatExactTime(item.from, zone, "clock", locale)}, {names.get(item.visit.doctorId) ?? ""}
      </span>
      <span className="b">{item.visit.patient.name ?? item.visit.patient.ref}</span>
    </div>
  ));
}
