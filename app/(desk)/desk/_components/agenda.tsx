"use client";

import { useTranslations } from "next-intl";
import { repeatedReading } from "@/app/_components/time";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import { VisitBlock } from "./visit-block";

/** The day as a list in time order, below 768 px. */
export function Agenda({ day, openId, onOpen }: { day: DeskDay; openId: string | null; onOpen(id: string): void }) {
  const t = useTranslations();
  return (
    <div className="agenda">
      {day.visits.length > 0 && <p className="tot">{t("desk.columnVisits", { count: day.visits.length })}</p>}
      {day.visits.map((visit) => (
        <VisitBlock
          key={visit.id}
          visit={visit}
          doctor={day.columns.find((column) => column.id === visit.doctorId)?.name ?? ""}
          zone={day.clinic.zone}
          open={visit.id === openId}
          offset={repeatedReading(visit.startsAt, day.clinic.zone)?.offset}
          onOpen={onOpen}
        />
      ))}
      {day.visits.length === 0 && <p className="p-4 text-2nd">{t("desk.noVisits")}</p>}
    </div>
  );
}
