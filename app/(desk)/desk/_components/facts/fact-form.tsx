"use client";

import { useTranslations } from "next-intl";
import { Field, SelectField } from "@/app/_components/field";
import type { FactWish } from "@/server/domain/clinics/fact-types";
import type { ListedFact } from "@/server/domain/clinics/list-facts";
import type { DeskColumn } from "@/server/domain/operations/desk-day";
import { weekdayWords } from "./fact-words";

/** What is typed: texts as the browser's own controls have them. An empty time means the whole day. */
export type Typed = {
  kind: FactWish["kind"];
  fromDate: string;
  fromTime: string;
  untilDate: string;
  untilTime: string;
  units: string;
  weekday: string;
  everybody: boolean;
  words: string;
};

export const newFact = (kind: FactWish["kind"], date: string): Typed => ({
  kind,
  fromDate: date,
  fromTime: "",
  untilDate: date,
  untilTime: "",
  units: "",
  weekday: "",
  everybody: false,
  words: "",
});

/** A fact as it is, to be changed. Midnight at the end of a day is the whole day before. */
export function typedOf(fact: ListedFact): Typed {
  const isBreak = fact.kind === "break";
  const endsAtMidnight = !isBreak && fact.until.endsWith("T00:00");
  return {
    kind: fact.kind,
    fromDate: isBreak ? "" : fact.from.slice(0, 10),
    fromTime: isBreak ? fact.from : fact.from.endsWith("T00:00") ? "" : fact.from.slice(11),
    untilDate: isBreak ? "" : endsAtMidnight ? dayBefore(fact.until.slice(0, 10)) : fact.until.slice(0, 10),
    untilTime: isBreak ? fact.until : endsAtMidnight ? "" : fact.until.slice(11),
    units: fact.units === null ? "" : String(fact.units),
    weekday: fact.weekday === null ? "" : String(fact.weekday),
    everybody: isBreak && fact.doctorId === null,
    words: fact.words,
  };
}

const dayBefore = (date: string) => new Date(Date.parse(`${date}T00:00Z`) - 86_400_000).toISOString().slice(0, 10);

/** The wish that a command sends; undefined while something is missing. */
export function wishOf(typed: Typed, column: DeskColumn): FactWish | undefined {
  const words = typed.words.trim() || undefined;
  if (typed.kind === "break") {
    if (!typed.fromTime || !typed.untilTime) return undefined;
    const weekday = typed.weekday ? Number(typed.weekday) : null;
    const doctorId = typed.everybody || column.kind !== "DOCTOR" ? null : column.id;
    return { kind: "break", input: { doctorId, weekday, from: typed.fromTime, until: typed.untilTime, ...(words && { label: words }) } };
  }
  if (!typed.fromDate || !typed.untilDate) return undefined;
  const period = {
    from: typed.fromTime ? `${typed.fromDate}T${typed.fromTime}` : typed.fromDate,
    until: typed.untilTime ? `${typed.untilDate}T${typed.untilTime}` : typed.untilDate,
    ...(words && { reason: words }),
  };
  if (typed.kind === "closure") return { kind: "closure", input: period };
  if (typed.kind === "absence") return { kind: "absence", input: { doctorId: column.id, ...period } };
  return { kind: "outage", input: { equipmentId: column.id, ...period, ...(typed.units && { units: Number(typed.units) }) } };
}

type Props = { typed: Typed; column: DeskColumn; locked: boolean; onChange(next: Partial<Typed>): void };

/** The fields of one kind of fact; dates and times by the browser's own controls, on the clinic's clock. */
export function FactFields({ typed, column, locked, onChange }: Props) {
  const t = useTranslations();
  const field = (name: "fromDate" | "fromTime" | "untilDate" | "untilTime" | "units" | "words") => ({
    name,
    value: typed[name],
    locked,
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => onChange({ [name]: event.target.value }),
  });
  return (
    <>
      {typed.kind === "break" ? (
        <BreakFields typed={typed} column={column} locked={locked} onChange={onChange} />
      ) : (
        <>
          <div className="pair">
            <Field label={t("facts.fromDate")} type="date" required {...field("fromDate")} />
            <Field label={t("facts.fromTime")} hint={t("facts.wholeDay")} type="time" {...field("fromTime")} />
          </div>
          <div className="pair">
            <Field label={t("facts.untilDate")} type="date" required min={typed.fromDate} {...field("untilDate")} />
            <Field label={t("facts.untilTime")} hint={t("facts.wholeDay")} type="time" {...field("untilTime")} />
          </div>
        </>
      )}
      {typed.kind === "outage" && (
        <Field
          label={t("facts.units")}
          hint={t("facts.unitsHint")}
          type="number"
          min={1}
          max={1000}
          inputMode="numeric"
          {...field("units")}
        />
      )}
      <Field
        label={t(typed.kind === "break" ? "facts.label" : "facts.reason")}
        hint={t(typed.kind === "absence" ? "facts.reasonStays" : "facts.optional")}
        maxLength={typed.kind === "break" ? 60 : 200}
        autoComplete="off"
        {...field("words")}
      />
    </>
  );
}

function BreakFields({ typed, column, locked, onChange }: Props) {
  const t = useTranslations();
  return (
    <>
      <div className="pair">
        <SelectField
          label={t("facts.weekdayField")}
          value={typed.weekday}
          locked={locked}
          onChange={(event) => onChange({ weekday: event.target.value })}
        >
          <option value="">{t("facts.everyDay")}</option>
          {weekdayWords.map((word, i) => (
            <option key={word} value={i + 1}>
              {t(word)}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t("facts.whose")}
          value={typed.everybody ? "all" : "one"}
          locked={locked}
          onChange={(event) => onChange({ everybody: event.target.value === "all" })}
        >
          <option value="one">{column.name}</option>
          <option value="all">{t("facts.everybody")}</option>
        </SelectField>
      </div>
      <div className="pair">
        <Field
          label={t("facts.fromTime")}
          type="time"
          required
          value={typed.fromTime}
          locked={locked}
          onChange={(event) => onChange({ fromTime: event.target.value })}
        />
        <Field
          label={t("facts.untilTime")}
          type="time"
          required
          value={typed.untilTime}
          locked={locked}
          onChange={(event) => onChange({ untilTime: event.target.value })}
        />
      </div>
    </>
  );
}
