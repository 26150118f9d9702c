"use client";

import { useLocale, useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Field } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import { Menu, MenuChoices, MenuItem, MenuRule } from "@/app/_components/menu";
import { dateIn, formatDates } from "@/app/_components/time";
import type { MessageKey } from "@/app/_i18n/messages";
import { daysOf, namedDays } from "./planning-url";

const words: Record<(typeof namedDays)[number], MessageKey> = { today: "planning.days.today", "7d": "planning.days.7d" };

/** `zone`: whose today a new range begins with. */
type Props = { zone: string; days: string | null; onChange(days: string | null): void };

/** Plans of which days are shown: those whose dates meet the chosen ones. */
export function DaysMenu({ zone, days, onChange }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const [choosing, setChoosing] = useState(false);
  const chosen = daysOf(days);
  const shown = chosen === null ? null : typeof chosen === "string" ? t(words[chosen]) : formatDates(chosen.from, chosen.until, locale);
  return (
    <>
      <Menu
        label={t("planning.days.label")}
        align="end"
        trigger={
          <button type="button" className="sel bd">
            {shown ? (
              <>
                <span className="sr">{t("planning.days.label")} </span>
                {shown}
              </>
            ) : (
              t("planning.days.label")
            )}
            <Icon name="down" />
          </button>
        }
      >
        <MenuChoices
          label={t("planning.days.label")}
          value={typeof chosen === "string" ? chosen : chosen ? "range" : ""}
          onChange={(value) => onChange(value || null)}
          choices={[{ value: "", label: t("planning.days.any") }, ...namedDays.map((name) => ({ value: name, label: t(words[name]) }))]}
        />
        <MenuRule />
        <MenuItem onSelect={() => setChoosing(true)}>{t("planning.days.choose")}</MenuItem>
      </Menu>
      {choosing && (
        <Dialog open onOpenChange={setChoosing} title={t("planning.days.choose")} description={t("planning.days.what")}>
          <RangeForm
            start={chosen !== null && typeof chosen !== "string" ? chosen : undefined}
            zone={zone}
            onChoose={(range) => {
              setChoosing(false);
              onChange(range);
            }}
          />
        </Dialog>
      )}
    </>
  );
}

type FormProps = { start: { from: string; until: string } | undefined; zone: string; onChoose(range: string): void };

function RangeForm({ start, zone, onChoose }: FormProps) {
  const t = useTranslations();
  const [from, setFrom] = useState(() => start?.from ?? dateIn(Date.now(), zone));
  const [until, setUntil] = useState(() => start?.until ?? from);
  const range = `${from}..${until}`;
  const isWrong = daysOf(range) === null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isWrong) onChoose(range);
  };
  return (
    <form onSubmit={submit} className="mt-4 grid gap-3">
      <div className="grid grid-cols-2 gap-3">
        <Field label={t("planning.fromDate")} type="date" required value={from} onChange={(event) => setFrom(event.target.value)} />
        <Field
          label={t("planning.untilDate")}
          type="date"
          required
          min={from}
          value={until}
          error={isWrong && from !== "" && until !== "" ? t("planning.days.wrong") : null}
          onChange={(event) => setUntil(event.target.value)}
        />
      </div>
      <Button look="primary" size="lg" type="submit">
        {t("planning.days.show")}
      </Button>
    </form>
  );
}
