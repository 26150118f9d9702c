"use client";

import { useTranslations } from "next-intl";
import { Agenda } from "@/app/(desk)/desk/_components/agenda";
import { Calendar } from "@/app/(desk)/desk/_components/calendar";
import { DeskHead } from "@/app/(desk)/desk/_components/desk-head";
import { DeskWeek } from "@/app/(desk)/desk/_components/desk-week";
import type { WeekReading } from "@/app/(desk)/desk/_components/use-desk-week";
import type { DeskVisit } from "@/server/domain/operations/desk-day";
import type { DeskWeek as Week, WeekDay } from "@/server/domain/operations/desk-week";
import { openDay, visitOf } from "./desk-samples";
import { Part } from "./part";
import { zone } from "./samples";

const nothing = () => {};
const dayMs = 86_400_000;

/** The day of the samples, some days later: of a Sunday nothing is open. */
function later(days: number): WeekDay {
  const move = (instant: string) => new Date(Date.parse(instant) + days * dayMs).toISOString();
  const [from, until, date] = [move(openDay.from), move(openDay.until), move(openDay.from).slice(0, 10)];
  if (days === 5)
    return { date, from, until, open: [], blocks: [{ columnId: null, kind: "CLOSED", from, until, label: "Sunday" }], visits: [] };
  const moved = (visit: DeskVisit) => ({ ...visit, id: `${visit.id}.${days}`, startsAt: move(visit.startsAt), endsAt: move(visit.endsAt) });
  const blocks = openDay.blocks.map((block) => ({ ...block, from: move(block.from), until: move(block.until) }));
  return { date, from, until, open: [{ from, until }], blocks, visits: openDay.visits.slice(0, 5 - Math.abs(days)).map(moved) };
}
const week: Week = {
  asOf: openDay.asOf,
  clinic: openDay.clinic,
  today: openDay.today,
  days: [-1, 0, 1, 2, 3, 4, 5].map(later),
  doctors: openDay.columns.slice(0, 2).map(({ id, ref, name, detail }) => ({ id, ref, name, detail })),
};
const reading = {
  week,
  isPending: false,
  live: "live",
  asOf: week.asOf,
  readAtMs: undefined,
  readAgain: nothing,
} as unknown as WeekReading;
const [start, end] = [visitOf("CONFIRMED").startsAt, visitOf("CONFIRMED").endsAt];
const choice = { startsAt: start, endsAt: end, doctorId: "d2", equipmentIds: ["e2"], label: "Marta Lindqvist", sent: false };

/** The calendar of a day and of a week, with what stands above it, and each of its other states. */
export function DeskViews() {
  const t = useTranslations();
  const head = { day: openDay, doctorId: null, onView: nothing, onDate: nothing, onDoctor: nothing, onBook: nothing };
  const read = { live: "live" as const, asOf: openDay.asOf, readAtMs: undefined };
  return (
    <>
      <Part name="DeskHead">
        <div className="border border-line">
          <DeskHead {...head} view="day" read={read} booking={false} />
          <DeskHead {...head} view="week" doctorId="d1" read={{ ...read, live: "offline" }} booking />
        </div>
      </Part>
      <Part name="Calendar">
        <div className="border border-line">
          <Calendar day={openDay} readAtMs={undefined} openId="d1.14:00" choice={choice} onOpen={nothing} onFacts={nothing} />
        </div>
      </Part>
      <Part name="DeskWeek">
        {[null, "d1"].map((doctorId) => (
          <div key={doctorId} className="border border-line">
            <DeskWeek reading={reading} doctorId={doctorId} state={null} onDay={nothing} onOpen={nothing} />
          </div>
        ))}
        <div className="grid grid-cols-2 gap-2">
          <div className="box">
            <DeskWeek
              reading={{ ...reading, week: undefined, isPending: true }}
              doctorId={null}
              state={null}
              onDay={nothing}
              onOpen={nothing}
            />
          </div>
          <div className="box">
            <DeskWeek reading={{ ...reading, week: undefined }} doctorId={null} state={null} onDay={nothing} onOpen={nothing} />
          </div>
        </div>
      </Part>
      {/* drawn below 768 px, in place of the calendar */}
      <Part name="Agenda">
        <Agenda day={openDay} openId="d1.14:00" onOpen={nothing} onFacts={nothing} />
        <Agenda day={{ ...openDay, visits: [] }} openId={null} onOpen={nothing} onFacts={nothing} />
        <p className="sr">{t("evidence.zone", { zone })}</p>
      </Part>
    </>
  );
}
