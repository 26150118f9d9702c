"use client";

import { useLocale, useTranslations } from "next-intl";
import { useState } from "react";
import { DateInput } from "@/app/_components/date-input";
import { Field, FieldError, SegmentedControl, SelectField } from "@/app/_components/field";
import { formatDate } from "@/app/_components/time";
import { Part } from "./part";

const date = "2026-08-18";
const nothing = () => {};

/** Fields: with a hint, a glyph, a unit; empty, in the focus, wrong, locked. */
export function FieldStates() {
  const t = useTranslations();
  const locale = useLocale();
  const [choice, setChoice] = useState("any");
  const choices = [
    { value: "any", label: t("desk.anyDoctor") },
    { value: "d1", label: "D-01" },
    { value: "d2", label: "D-02", off: true },
  ];
  const option = <option value="any">{t("desk.anyDoctor")}</option>;
  return (
    <>
      <Part name="Field, FieldError, DateInput">
        <div className="form" style={{ padding: 0 }}>
          <Field label={t("desk.patient")} hint={t("desk.patientHint")} glyph="search" defaultValue="lindq marta" />
          <div className="pair">
            <Field label={t("person.phone")} placeholder={t("person.phone")} />
            <Field label={t("drill.record.minutes")} defaultValue="30" unit="min" />
          </div>
          <div className="pair">
            <Field label={t("person.email")} defaultValue="marta@" error={t("person.emailWrong")} />
            <Field label={t("desk.patient")} defaultValue="PT-6RM100" locked />
          </div>
          <div className="pair">
            {[formatDate(date, locale), ""].map((words) => (
              <div key={words} className="in">
                <DateInput words={words} aria-label={t("desk.wishedDay")} defaultValue={words && date} />
              </div>
            ))}
          </div>
          <div className="pair">
            <div className="in bad">
              <DateInput words="" aria-label={t("desk.wishedDay")} aria-invalid aria-describedby="design-date" />
            </div>
            <div className="in lockd">
              <DateInput words={formatDate(date, locale)} aria-label={t("desk.wishedDay")} value={date} readOnly />
            </div>
          </div>
          <FieldError id="design-date">{t("desk.missing.date")}</FieldError>
        </div>
      </Part>
      <Part name="SelectField, SegmentedControl">
        <div className="form" style={{ padding: 0 }}>
          <div className="pair">
            <SelectField label={t("desk.doctor")} hint={t("desk.choose")} defaultValue="any">
              {option}
            </SelectField>
            <SelectField label={t("desk.doctor")} locked defaultValue="any">
              {option}
            </SelectField>
          </div>
          <SelectField label={t("desk.treatment")} error={t("desk.missing.treatment")} defaultValue="">
            <option value="">{t("desk.choose")}</option>
          </SelectField>
          <SegmentedControl label={t("desk.doctor")} name="design-doctor" value={choice} onChange={setChoice} choices={choices} />
          <SegmentedControl
            label={t("desk.doctor")}
            name="design-doctor-locked"
            value="d1"
            onChange={nothing}
            choices={choices}
            locked
            hint={t("retry.locked")}
            error={t("desk.missing.time")}
          />
        </div>
      </Part>
    </>
  );
}
