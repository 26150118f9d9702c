"use client";

import { useLocale, useTranslations } from "next-intl";
import { useMemo } from "react";
import type { LiveState } from "@/app/_components/live-indicator";
import { formatDate } from "@/app/_components/time";
import type { DailyLoad } from "@/server/domain/appointments/daily-load-query";
import type { AppointmentState } from "@/server/domain/appointments/states";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import { Agenda } from "./agenda";
import { Calendar, type Choice } from "./calendar";
import { DayCounts } from "./day-counts";
import { DeskHead, type DeskView } from "./desk-head";
import { DeskWeek, WeekCounts } from "./desk-week";
import type { FactsAsk } from "./facts/facts-ask";
import { filterDay } from "./filter-day";
import { useDeskWeek } from "./use-desk-week";

export type DeskChoices = { view: DeskView; doctor: string | null; state: AppointmentState | null; visit: string | null };
type Props = {
  clinicId: string;
  day: DeskDay & { load: DailyLoad | null };
  readAtMs: number | undefined;
  live: LiveState;
  url: DeskChoices;
  /** The time that is being chosen or was sent, drawn among the visits. */
  choice: Choice | null;
  booking: boolean;
  /** What the last command did, for screen readers. */
  said: string;
  onFilter(next: Partial<Pick<DeskChoices, "view" | "doctor" | "state">>): void;
  onDate(date: string | null): void;
  onDay(date: string, visit: string | null): void;
  onOpen(id: string): void;
  onBook(): void;
  onFacts(ask: FactsAsk): void;
};

/** The calendar side of the desk: which day or week, its numbers as filters, and the visits. */
export function DeskPane(props: Props) {
  const { clinicId, day, readAtMs, live, url, choice, booking, said, onFilter, onDate, onDay, onOpen, onBook, onFacts } = props;
  const t = useTranslations();
  const locale = useLocale();
  const ofDoctor = useMemo(() => filterDay(day, { doctorId: url.doctor, state: null }), [day, url.doctor]);
  const filtered = useMemo(() => filterDay(ofDoctor, { doctorId: null, state: url.state }), [ofDoctor, url.state]);
  const onState = (state: AppointmentState | null) => onFilter({ state });
  const isWeek = url.view === "week";
  const reading = useDeskWeek(clinicId, day.date, isWeek);
  const ofWeek = { reading, doctorId: url.doctor, state: url.state };
  return (
    <section className="pane" aria-label={t("desk.calendar")}>
      <DeskHead
        day={day}
        view={url.view}
        doctorId={url.doctor}
        read={isWeek ? reading : { live, asOf: day.asOf, readAtMs }}
        booking={booking}
        onView={(view) => onFilter({ view })}
        onDate={onDate}
        onDoctor={(doctor) => onFilter({ doctor })}
        onBook={onBook}
      />
      {isWeek ? (
        <WeekCounts {...ofWeek} onFilter={onState} />
      ) : (
        <DayCounts
          label={t("desk.counts")}
          visits={ofDoctor.visits}
          state={url.state}
          onFilter={onState}
          onNext={onOpen}
          onPrint={() => window.print()}
          load={day.load}
          zone={day.clinic.zone}
        />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard */}
      <section className="scroll" tabIndex={0} aria-label={t("desk.visitsOf", { day: formatDate(day.date, locale) })}>
        {isWeek ? (
          <DeskWeek {...ofWeek} onDay={(date) => onDay(date, null)} onOpen={onDay} />
        ) : (
          <>
            <Calendar day={filtered} readAtMs={readAtMs} openId={url.visit} choice={choice} onOpen={onOpen} onFacts={onFacts} />
            <Agenda day={filtered} openId={url.visit} onOpen={onOpen} onFacts={onFacts} />
          </>
        )}
      </section>
      <p className="sr" role="status">
        {said}
      </p>
    </section>
  );
}
