"use client";

import { useLocale, useTranslations } from "next-intl";
import { Ref } from "@/app/_components/ref";
import { StateWord } from "@/app/_components/state";
import { appointmentStates } from "@/app/_components/state-dictionary";
import { formatExactTime } from "@/app/_components/time";
import type { AppointmentState } from "@/server/domain/appointments/states";
import type { AffectedView } from "@/server/domain/clinics/fact-types";
import type { DeskDay } from "@/server/domain/operations/desk-day";

/** The visits that cannot take place as they stand: when, with whom, whose. */
export function AffectedList({ affected, day }: { affected: AffectedView; day: DeskDay }) {
  const t = useTranslations();
  const locale = useLocale();
  const { zone } = day.clinic;
  const nameOf = (doctorId: string) => day.columns.find((column) => column.id === doctorId)?.name;
  return (
    <section className="grid gap-2" aria-label={t("facts.affectedTitle")}>
      <p className="b5" role="status">
        {t("facts.affected", { count: affected.count })}
      </p>
      {affected.visits.length > 0 && (
        <ol className="grid gap-1">
          {affected.visits.map((visit) => (
            <li key={visit.id} className="grid gap-0.5 border-line border-t pt-1">
              <span className="flex flex-wrap items-center gap-2">
                <span className="num">{formatExactTime(visit.startsAt, zone, "dayClock", locale)}</span>
                <Ref>{visit.ref}</Ref>
                <StateWord entry={appointmentStates[visit.status as AppointmentState]} />
              </span>
              <span className="text-meta text-3rd">{[nameOf(visit.doctorId), visit.patientRef].filter(Boolean).join(" · ")}</span>
            </li>
          ))}
        </ol>
      )}
      {affected.count > affected.visits.length && (
        <p className="text-meta text-3rd">{t("facts.moreAffected", { count: affected.count - affected.visits.length })}</p>
      )}
      {affected.count > 0 && <p className="text-meta text-2nd">{t("facts.nothingMoved")}</p>}
    </section>
  );
}
