"use client";

import { useTranslations } from "next-intl";
import { repeatedReading } from "@/app/_components/time";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import type { FactsAsk } from "./facts/facts-ask";
import { FactsOfAllMenu } from "./facts/facts-menu";
import { VisitBlock } from "./visit-block";

type Props = { day: DeskDay; openId: string | null; onOpen(id: string): void; onFacts(ask: FactsAsk): void };

/** The day as a list in time order, below 768 px. */
export function Agenda({ day, openId, onOpen, onFacts }: Props) {
  const t = useTranslations();
  return (
    <div className="agenda">
      <div className="tot">
        {day.visits.length > 0 && <p>{t("desk.columnVisits", { count: day.visits.length })}</p>}
        <FactsOfAllMenu columns={day.columns} onAsk={onFacts} />
      </div>
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
