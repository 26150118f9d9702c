"use client";

import { useQuery } from "@tanstack/react-query";
import { useLocale, useTranslations } from "next-intl";
import { useEffect } from "react";
import { appointmentStates } from "@/app/_components/state-dictionary";
import { formatExactTime, Time } from "@/app/_components/time";
import type { MessageKey } from "@/app/_i18n/messages";
import { useTRPC } from "@/app/_trpc/client";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import { reasonCodeWords } from "./problem-words";

const sources: Record<string, MessageKey> = { DESK: "source.DESK", API: "source.API", IMPORT: "source.IMPORT", WORKER: "source.WORKER" };
export const changeWords: Record<string, MessageKey> = {
  CREATED: "change.CREATED",
  RESCHEDULED: "change.RESCHEDULED",
  CANCELLED: "change.CANCELLED",
  STATUS_CHANGED: "change.STATUS_CHANGED",
};

/** Every change of a visit, read again whenever the shown day shows another version of it, or no longer shows it. */
export function useVisitHistory(clinicId: string, appointmentId: string | undefined, shown: string) {
  const trpc = useTRPC();
  const query = useQuery(
    trpc.desk.history.queryOptions(
      { clinicId, appointmentId: appointmentId ?? "" },
      { enabled: appointmentId !== undefined, staleTime: 0 },
    ),
  );
  const { refetch } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown is the reason to read, not a part of the question
  useEffect(() => {
    if (appointmentId !== undefined) void refetch();
  }, [appointmentId, shown, refetch]);
  return query;
}
export type VisitHistory = ReturnType<typeof useVisitHistory>;

/** Who changed what, when, why and from where, oldest first. */
export function History({ history, day }: { history: VisitHistory; day: DeskDay }) {
  const t = useTranslations();
  const locale = useLocale();
  const { zone } = day.clinic;
  const doctorOf = (id: string) => day.columns.find((column) => column.id === id)?.name;
  return (
    <section className="sec">
      <div className="sech">
        <h3>{t("visit.history")}</h3>
      </div>
      {history.isError && <p className="text-2nd">{t("visit.historyFailed")}</p>}
      <ol className="grid gap-2">
        {history.data?.map((entry) => {
          const source = sources[entry.source];
          const change = changeWords[entry.change];
          const reason = entry.reasonCode ? reasonCodeWords[entry.reasonCode] : undefined;
          return (
            <li key={entry.version} className="grid gap-0.5">
              <span>
                <b className="b5">{change ? t(change) : entry.change}</b>
                {entry.change === "STATUS_CHANGED" && `: ${t(appointmentStates[entry.toStatus].label)}`}
                {entry.change === "RESCHEDULED" &&
                  `: ${formatExactTime(entry.fromStartsAt ?? entry.toStartsAt, zone, "dayClock", locale)} → ${formatExactTime(entry.toStartsAt, zone, "dayClock", locale)}`}
                {entry.fromDoctorId !== null &&
                  entry.fromDoctorId !== entry.toDoctorId &&
                  `, ${doctorOf(entry.fromDoctorId) ?? "–"} → ${doctorOf(entry.toDoctorId) ?? "–"}`}
                {reason && `, ${t(reason)}`}
              </span>
              <span className="text-meta text-3rd">
                <Time at={entry.at} zone={zone} as="daySeconds" locale={locale} /> · {entry.actorRef}
                {source && ` · ${t(source)}`}
              </span>
            </li>
          );
        })}
      </ol>
      <p className="mt-2 text-meta text-3rd">{t("evidence.zone", { zone })}</p>
    </section>
  );
}
