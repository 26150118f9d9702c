"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { Field } from "@/app/_components/field";
import { Notice } from "@/app/_components/notice";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import type { AffectedView, HoursView } from "@/server/domain/clinics/fact-types";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import { AffectedList } from "./affected-list";
import { FactProblemNotice } from "./fact-problem";
import { weekdayWords } from "./fact-words";
import { problemOf } from "./read-problem";
import { useFactCommand } from "./use-fact-command";
import { parseWeek, weekTexts } from "./week-text";

type Props = {
  day: DeskDay;
  /** Whose week; null: the clinic's. */
  doctorId: string | null;
  mayChange: boolean;
  offBecause: string | undefined;
  onSaved(affected: AffectedView): void;
  onCancel(): void;
};

/** A week, one line a day. ADMIN changes it; everybody else at the desk reads it and is told why. */
export function HoursEditor(props: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const read = useQuery(trpc.facts.hours.queryOptions({ clinicId: props.day.clinic.id, doctorId: props.doctorId }, { staleTime: 0 }));
  if (read.isError) return <FactProblemNotice problem={problemOf(read.error)} />;
  if (!read.data || read.isFetching)
    return (
      <p className="sec text-3rd" role="status">
        {t("facts.reading")}
      </p>
    );
  return <WeekForm key={read.data.version} hours={read.data} {...props} />;
}

function WeekForm({ day, doctorId, hours, mayChange, offBecause, onSaved, onCancel }: Props & { hours: HoursView }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const clinicId = day.clinic.id;
  const [texts, setTexts] = useState(() => weekTexts(hours.hours));
  const [isAsked, setAsked] = useState(false);
  const week = parseWeek(texts);
  const input = { clinicId, doctorId, hours: week.hours };
  const preview = useQuery(
    trpc.facts.previewHours.queryOptions(input, { enabled: isAsked && week.wrong.length === 0, staleTime: 0, retry: false }),
  );
  const { busy, problem, send, forget } = useFactCommand((body) => onSaved(body.affected ?? { count: 0, visits: [], days: [] }));
  const isSeen = isAsked && preview.data !== undefined && !preview.isFetching;
  const refused = isAsked && preview.isError ? problemOf(preview.error) : null;
  const save = () => {
    const command = { doctorId, version: hours.version, week: { hours: week.hours } };
    if (!offBecause) void send(command, (key) => client.facts.changeHours.mutate({ clinicId, key, ...command }));
  };
  return (
    <form
      className="sec grid gap-3"
      noValidate
      aria-label={t(doctorId ? "facts.add.hours" : "facts.add.clinicHours")}
      onSubmit={(event) => {
        event.preventDefault();
        if (isSeen) save();
        else setAsked(week.wrong.length === 0);
      }}
    >
      {!mayChange && (
        <Notice glyph="lock">
          <span id="hours-off">{t("facts.hoursOff")}</span>
        </Notice>
      )}
      {weekdayWords.map((word, i) => (
        <Field
          key={word}
          label={t(word)}
          value={texts[i]}
          locked={busy || !mayChange}
          autoComplete="off"
          placeholder={t("facts.notWorking")}
          error={week.wrong.includes(i) ? t("facts.weekShape") : null}
          onChange={(event) => {
            setTexts(texts.map((text, at) => (at === i ? event.target.value : text)));
            setAsked(false);
            forget();
          }}
        />
      ))}
      {refused && <FactProblemNotice problem={refused} />}
      {problem && <FactProblemNotice problem={problem} />}
      {isSeen && <AffectedList affected={preview.data} day={day} />}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" type="submit" busy={busy || preview.isFetching} offBecause={mayChange ? offBecause : "hours-off"}>
          {t(isSeen ? (problem === "lost" ? "retry.now" : "facts.save") : "facts.look", { count: preview.data?.count ?? 0 })}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {t("facts.cancel")}
        </Button>
      </div>
    </form>
  );
}
