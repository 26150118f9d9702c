"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { Button } from "@/app/_components/button";
import { Field, SelectField } from "@/app/_components/field";
import type { ByPeople } from "@/server/domain/drills/record-by-people";

type Props = { isSending: boolean; onCancel(): void; onRecord(held: ByPeople): void };

/** How many people took how long, how it ended and what they found. */
export function RecordForm({ isSending, onCancel, onRecord }: Props) {
  const t = useTranslations();
  const [held, setHeld] = useState<ByPeople>({ people: 2, minutes: 30, result: "PASSED", note: "" });
  const save = (event: FormEvent) => {
    event.preventDefault();
    onRecord({ ...held, note: held.note.trim() });
  };
  return (
    <form className="act" onSubmit={save} aria-label={t("drill.record.open")}>
      <div className="grid grid-cols-3 gap-2">
        <Field
          label={t("drill.record.people")}
          type="number"
          min={1}
          max={99}
          required
          value={held.people}
          onChange={(event) => setHeld({ ...held, people: Number(event.target.value) })}
        />
        <Field
          label={t("drill.record.minutes")}
          type="number"
          min={1}
          max={480}
          required
          value={held.minutes}
          onChange={(event) => setHeld({ ...held, minutes: Number(event.target.value) })}
        />
        <SelectField
          label={t("drill.record.result")}
          value={held.result}
          onChange={(event) => setHeld({ ...held, result: event.target.value as ByPeople["result"] })}
        >
          <option value="PASSED">{t("drill.state.PASSED")}</option>
          <option value="FAILED">{t("drill.state.FAILED")}</option>
        </SelectField>
      </div>
      <Field
        label={t("drill.record.note")}
        minLength={3}
        maxLength={500}
        required
        value={held.note}
        onChange={(event) => setHeld({ ...held, note: event.target.value })}
      />
      <div className="rowb">
        <Button type="submit" size="lg" className="grow" busy={isSending || undefined}>
          {t("drill.record.save")}
        </Button>
        <Button size="lg" onClick={onCancel}>
          {t("drill.record.cancel")}
        </Button>
      </div>
    </form>
  );
}
