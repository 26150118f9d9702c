"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocale, useTranslations } from "next-intl";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import { Ref } from "@/app/_components/ref";
import { StateWord } from "@/app/_components/state";
import { planningStates } from "@/app/_components/state-dictionary";
import { formatDate, formatDates } from "@/app/_components/time";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import type { AffectedView } from "@/server/domain/clinics/fact-types";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import { calendarToday } from "../calendar-today";
import { FactProblemNotice } from "./fact-problem";
import { runWords } from "./fact-words";
import { searchRange } from "./search-range";
import { useFactCommand } from "./use-fact-command";

/** Asks for new times for the visits that a fact left without a place, and follows the calculation. STAFF apply what it finds. */
export function FindNewTimes({ day, affected }: { day: DeskDay; affected: AffectedView }) {
  const t = useTranslations();
  const locale = useLocale();
  const client = useTRPCClient();
  const clinicId = day.clinic.id;
  const [runId, setRunId] = useState<string | null>(null);
  const { busy, problem, send } = useFactCommand((body) => setRunId(String(body.id)));
  const { beyond, ...change } = searchRange(affected, { zone: day.clinic.zone, today: calendarToday(day), date: day.date });
  const ask = () => void send(change, (key) => client.planning.request.mutate({ clinicId, key, change }));
  return (
    <section className="sec grid gap-3" aria-label={t("facts.findNewTimes")}>
      {runId === null ? (
        <>
          {problem && <FactProblemNotice problem={problem} />}
          <div>
            <Button look="primary" icon="recalc" busy={busy} onClick={ask}>
              {t(problem === "lost" ? "retry.now" : "facts.findNewTimes")}
            </Button>
          </div>
          <p className="text-meta text-3rd">{t("facts.findRange", { dates: formatDates(change.fromDate, change.untilDate, locale) })}</p>
        </>
      ) : (
        <Run clinicId={clinicId} runId={runId} />
      )}
      {beyond > 0 && <p className="text-2nd">{t("facts.beyond", { count: beyond, date: formatDate(change.untilDate, locale) })}</p>}
    </section>
  );
}

/** How far the calculation is, and what it found. */
function Run({ clinicId, runId }: { clinicId: string; runId: string }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const watched = useQuery(
    trpc.planning.watch.queryOptions(
      { clinicId, runId },
      { refetchInterval: ({ state }) => (state.data && isOver(state.data.state) ? 5_000 : 1_000), staleTime: 0 },
    ),
  );
  const run = watched.data;
  const state = run?.state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an applied plan is another day
  useEffect(() => {
    if (state === "APPLIED") void queryClient.invalidateQueries(trpc.desk.pathFilter());
  }, [state]);
  if (!run)
    return (
      <p className="text-3rd" role="status">
        {t("facts.asked")}
      </p>
    );
  return (
    <div className="grid gap-2">
      <h3 ref={heading} tabIndex={-1} className="flex items-center gap-2">
        <Ref>{run.ref}</Ref>
        <StateWord entry={planningStates[run.state]} pill />
      </h3>
      {run.progress && !isOver(run.state) && (
        <progress
          aria-label={t("facts.progress")}
          max={run.timeLimitMs}
          value={Math.min(run.progress.elapsedMs, run.timeLimitMs)}
          className="w-full"
        />
      )}
      <p role="status">{t(runWords[run.state], { moves: run.moves ?? 0, unplaced: run.unplaced ?? 0 })}</p>
      {run.stays > 0 && <p className="text-2nd">{t("facts.stays", { count: run.stays })}</p>}
      {run.probablyStale && run.state === "CALCULATED" && <p className="text-meta text-2nd">{t("facts.probablyStale")}</p>}
    </div>
  );
}

const isOver = (state: string): boolean => state !== "REQUESTED" && state !== "CALCULATING";
