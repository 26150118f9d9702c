"use client";

import { useLocale, useTranslations } from "next-intl";
import { useEffect, useRef, useState } from "react";
import { Button, IconButton } from "@/app/_components/button";
import { SelectField } from "@/app/_components/field";
import { formatTime, repeatedReading } from "@/app/_components/time";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import { DoctorField, hasSegments } from "./doctor-field";
import type { Hold } from "./hold";
import { PatientField } from "./patient-field";
import { RefusalNotice } from "./refusal-notice";
import { SafeRetry } from "./safe-retry";
import { SlotList } from "./slot-list";
import { type BookingForm, type FieldErrors, missingFields, parseClock } from "./use-booking-form";
import type { useKeyedCommand } from "./use-keyed-command";
import { WishedTime } from "./wished-time";
import { YouAreBooking } from "./you-are-booking";

type Props = {
  day: DeskDay;
  form: BookingForm;
  onChange(next: Partial<BookingForm>): void;
  onClear(): void;
  onClose(): void;
  onSubmit(): void;
  command: ReturnType<typeof useKeyedCommand>;
  refusal: (Record<string, unknown> & { code?: string }) | null;
  /** The visit that is moved; null: a new one. */
  moving: { id: string; ref: string } | null;
  /** Devices and rooms that the chosen time would hold. */
  equipmentIds: readonly string[];
  /** Why nothing can be sent now, with the way out of it. */
  hold: Hold | null;
};

/** Books a visit, or gives one another time. While an answer is open the form shows what was sent and cannot be changed. */
export function BookingDrawer({ day, form, onChange, onClear, onClose, onSubmit, command, refusal, moving, equipmentIds, hold }: Props) {
  const t = useTranslations();
  const heading = useRef<HTMLHeadingElement>(null);
  const [errors, setErrors] = useState<FieldErrors>({});
  const openAnswer = useRef(command.phase !== "idle");
  useEffect(() => {
    if (openAnswer.current) return; // "Retry now" has the focus
    // a booking begins with a name; on a touch screen that would bring up the keys before anybody has seen the form
    if (window.matchMedia("(pointer: coarse)").matches || !focusIn(patientInput)) heading.current?.focus();
  }, []);
  const { zone } = day.clinic;
  const locked = command.phase !== "idle";
  const treatment = day.treatments.find((one) => one.id === form.treatmentId);
  const doctors = day.columns.filter((column) => column.kind === "DOCTOR");
  const change = (next: Partial<BookingForm>) => {
    setErrors({});
    onChange(next);
  };
  const submit = () => {
    const missing = missingFields(form);
    setErrors(missing);
    if (Object.keys(missing).length > 0)
      setTimeout(() => document.querySelector<HTMLElement>(".ev [aria-invalid], .ev .slot input")?.focus());
    else if (!hold) onSubmit();
  };
  return (
    <aside className="ev" aria-labelledby="booking-heading">
      <div className="evh">
        <IconButton name="left" small className="back" label={t("desk.backToCalendar")} onClick={onClose} />
        <h2 id="booking-heading" ref={heading} tabIndex={-1} className="b6 text-lead">
          {moving ? t("desk.moveTitle", { ref: moving.ref }) : t("desk.new")}
        </h2>
        <span className="sp" />
        <span className="dim text-meta">{locked ? t("retry.locked") : t("evidence.zone", { zone })}</span>
        <IconButton name="x" small label={t("desk.closeKeeps")} onClick={onClose} />
      </div>
      <div className="evb">
        {hold?.notice}
        {refusal && <RefusalNotice refusal={refusal} zone={zone} />}
        <form
          className="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (!locked) submit();
          }}
        >
          <PatientField
            clinicId={day.clinic.id}
            chosen={form.patient}
            locked={locked || moving !== null}
            missing={errors.patient === true}
            onChoose={(patient) => {
              change({ patient });
              setTimeout(() => focusIn(patient ? "select" : patientInput)); // once the field shows it
            }}
          />
          <div className={hasSegments(doctors) ? "contents" : "pair"}>
            <SelectField
              label={t("desk.treatment")}
              value={form.treatmentId}
              locked={locked || moving !== null}
              error={errors.treatment ? t("desk.missing.treatment") : null}
              onChange={(event) => change({ treatmentId: event.target.value, doctorId: "any" })}
            >
              <option value="">{t("desk.choose")}</option>
              {day.treatments.map((one) => (
                <option key={one.id} value={one.id}>
                  {t("desk.treatmentMinutes", { name: one.name, minutes: one.durationMinutes })}
                </option>
              ))}
            </SelectField>
            <DoctorField
              doctors={doctors}
              value={form.doctorId}
              providerType={treatment?.providerType ?? null}
              locked={locked}
              onChange={(doctorId) => change({ doctorId })}
            />
          </div>
          <WishedTime
            day={day}
            form={form}
            locked={locked}
            missingDate={errors.date === true}
            ignoreAppointmentId={moving?.id ?? null}
            onChange={change}
          />
          {!locked && (
            <SlotList
              day={day}
              wish={{
                treatmentId: form.treatmentId,
                doctorId: form.doctorId,
                date: form.date,
                clock: parseClock(form.time),
                patientId: form.patient?.id ?? null,
                ignoreAppointmentId: moving?.id ?? null,
              }}
              chosen={form.startsAt}
              missing={errors.time === true}
              onChoose={(slot) => change({ startsAt: slot.startsAt, likelyDoctorId: slot.doctorIds[0] ?? null })}
            />
          )}
          <button type="submit" className="sr" tabIndex={-1} aria-hidden="true" />
        </form>
        {locked && <YouAreBooking day={day} form={form} equipmentIds={equipmentIds} moving={moving !== null} />}
      </div>
      {command.phase === "unanswered" || (command.phase === "sending" && command.tries.length > 1) ? (
        command.pending && (
          <SafeRetry
            pending={command.pending}
            tries={command.tries}
            sending={command.phase === "sending"}
            zone={zone}
            onRetry={command.retry}
            onLookUp={command.lookUp}
          />
        )
      ) : (
        <div className="act">
          {form.startsAt && <YouAreBooking day={day} form={form} equipmentIds={equipmentIds} moving={moving !== null} plain />}
          <div className="rowb">
            <Button
              look="primary"
              size="lg"
              icon="check"
              className="grow"
              busy={command.phase === "sending"}
              offBecause={hold?.id}
              onClick={submit}
            >
              <SubmitWords startsAt={form.startsAt} zone={zone} moving={moving !== null} />
            </Button>
            <Button size="lg" onClick={moving ? onClose : onClear}>
              {t(moving ? "desk.keepTime" : "desk.clearForm")}
            </Button>
          </div>
          <p className="hint">{t("desk.keyKept")}</p>
        </div>
      )}
    </aside>
  );
}

const patientInput = ".fl input:not([readonly], [type])";

/** False: the drawer has no such field now. */
function focusIn(field: string): boolean {
  const found = document.querySelector<HTMLElement>(`.ev .form ${field}`);
  found?.focus();
  return found !== null;
}

/** What the button does, with the time; of a time that the clock shows twice, which one. */
function SubmitWords({ startsAt, zone, moving }: { startsAt: string; zone: string; moving: boolean }) {
  const t = useTranslations();
  const locale = useLocale();
  if (!startsAt) return t(moving ? "desk.move" : "desk.book");
  const reading = repeatedReading(startsAt, zone);
  const time = formatTime(startsAt, zone, "clock", locale);
  if (moving) return t("desk.moveTo", { time: reading ? `${time} UTC${reading.offset}` : time });
  if (!reading) return t("desk.bookAt", { time });
  return t(reading.nth === 1 ? "desk.bookFirst" : "desk.bookSecond", { time });
}
