"use client";

import { useQuery } from "@tanstack/react-query";
import { useLocale, useTranslations } from "next-intl";
import { useEffect, useId } from "react";
import { DateInput } from "@/app/_components/date-input";
import { FieldError } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import { formatDate, formatExactTime, formatTime } from "@/app/_components/time";
import { useTRPC } from "@/app/_trpc/client";
import type { StartCheck } from "@/server/domain/operations/check-start";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import { BlockerList } from "./blocker-list";
import { calendarToday } from "./calendar-today";
import { type BookingForm, parseClock } from "./use-booking-form";

type Props = {
  day: DeskDay;
  form: BookingForm;
  locked: boolean;
  missingDate: boolean;
  ignoreAppointmentId: string | null;
  onChange(next: Partial<BookingForm>): void;
};

/**
 * The wished day and, if there is one, the wished time. A time that is free becomes the choice; for any other the screen says by name what stands in
 * the way. The server decides by the function that books.
 */
export function WishedTime({ day, form, locked, missingDate, ignoreAppointmentId, onChange }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const trpc = useTRPC();
  const id = useId();
  const { zone } = day.clinic;
  const clock = parseClock(form.time);
  const isAsked = !locked && clock !== null && form.treatmentId !== "" && /^\d{4}-\d{2}-\d{2}$/.test(form.date);
  const query = useQuery(
    trpc.desk.check.queryOptions(
      {
        clinicId: day.clinic.id,
        treatmentId: form.treatmentId,
        doctorId: form.doctorId === "any" ? null : form.doctorId,
        patientId: form.patient?.id ?? null,
        ignoreAppointmentId,
        local: `${form.date}T${clock ?? "00:00"}`,
        utcOffset: form.utcOffset || null,
      },
      { enabled: isAsked, staleTime: 0, refetchInterval: 15_000 },
    ),
  );
  const check = isAsked ? query.data : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is taken once; what is chosen by hand meanwhile stays
  useEffect(() => {
    if (check?.end === "FREE" && form.startsAt === "") onChange({ startsAt: check.startsAt, likelyDoctorId: check.doctorId });
    if (check?.end === "BLOCKED" && form.startsAt === check.startsAt) onChange({ startsAt: "" }); // taken meanwhile
  }, [check, form.startsAt === ""]);
  return (
    <fieldset className="fl" aria-labelledby={`${id}-label`}>
      <span className="lb">
        <span id={`${id}-label`}>{t("desk.wishedTime")}</span>
        {check && <span className="hint ml-auto">{t("desk.checkedAt", { at: formatTime(check.asOf, zone, "seconds", locale) })}</span>}
      </span>
      <div className="pair">
        <div className={`in ${locked ? "lockd" : ""} ${missingDate ? "bad" : ""}`}>
          <DateInput
            words={form.date && formatDate(form.date, locale)}
            aria-label={t("desk.wishedDay")}
            aria-invalid={missingDate ? true : undefined}
            aria-describedby={missingDate ? `${id}-date` : undefined}
            value={form.date}
            min={calendarToday(day)}
            readOnly={locked}
            onChange={(event) => onChange({ date: event.target.value })}
          />
        </div>
        <div className={`in ${locked ? "lockd" : ""}`}>
          <input
            type="text"
            inputMode="numeric"
            autoComplete="off"
            placeholder={t("desk.clockShape")}
            aria-label={t("desk.wishedStart")}
            aria-invalid={form.time !== "" && clock === null ? true : undefined}
            aria-describedby={form.time !== "" && clock === null ? `${id}-time` : undefined}
            value={form.time}
            readOnly={locked}
            onChange={(event) => onChange({ time: event.target.value })}
            onBlur={() => clock && clock !== form.time && onChange({ time: clock })}
          />
          <Icon name="clock" />
        </div>
      </div>
      {missingDate && <FieldError id={`${id}-date`}>{t("desk.missing.date")}</FieldError>}
      {form.time !== "" && clock === null && <FieldError id={`${id}-time`}>{t("desk.clockWrong")}</FieldError>}
      {clock !== null && form.treatmentId === "" && <p className="hint">{t("desk.checkNeedsTreatment")}</p>}
      {isAsked && query.isError && <FieldError>{t("desk.checkFailed")}</FieldError>}
      <div role="status">{check && <CheckResult check={check} day={day} form={form} clock={clock ?? ""} onChange={onChange} />}</div>
    </fieldset>
  );
}

type ResultProps = { check: StartCheck; day: DeskDay; form: BookingForm; clock: string; onChange(next: Partial<BookingForm>): void };

function CheckResult({ check, day, form, clock, onChange }: ResultProps) {
  const t = useTranslations();
  const locale = useLocale();
  const { zone } = day.clinic;
  const range = (one: { startsAt: string; endsAt: string }) =>
    `${formatExactTime(one.startsAt, zone, "clock", locale)}–${formatExactTime(one.endsAt, zone, "clock", locale)}`;
  switch (check.end) {
    case "FREE": {
      const doctor = day.columns.find((column) => column.id === check.doctorId)?.name;
      return (
        <p className="fre">
          <Icon name="done" />
          {doctor ? t("desk.isFreeWith", { range: range(check), doctor }) : t("desk.isFree", { range: range(check) })}
        </p>
      );
    }
    case "BLOCKED":
      return (
        <div className="blk3">
          <span className="h">
            <Icon name="fail" />
            {t("desk.isNotFree", { range: range(check) })}
          </span>
          <BlockerList blockers={check.blockers} zone={zone} />
        </div>
      );
    case "AMBIGUOUS":
      return (
        <div className="dst2">
          <p className="dstn">
            <Icon name="info" />
            <span>{t("desk.timeTwice", { time: clock })}</span>
          </p>
          <div className="slots" role="radiogroup" aria-label={t("desk.whichReading")}>
            {check.choices.map((choice, i) => (
              <label key={choice.utcOffset} className="slot">
                <input
                  type="radio"
                  className="sr"
                  name="reading"
                  checked={form.utcOffset === choice.utcOffset}
                  onChange={() => onChange({ utcOffset: choice.utcOffset })}
                />
                <i className="rd" aria-hidden="true" />
                <b>{clock}</b>
                <small>
                  <span className="of">UTC{choice.utcOffset}</span>, {t(i === 0 ? "desk.reading.first" : "desk.reading.second")}
                </small>
              </label>
            ))}
          </div>
        </div>
      );
    case "NONEXISTENT":
      return (
        <div className="blk3">
          <span className="h">
            <Icon name="fail" />
            {t("desk.timeSkipped", { time: clock })}
          </span>
        </div>
      );
  }
}
