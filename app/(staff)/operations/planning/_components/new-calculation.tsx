"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Field, SelectField } from "@/app/_components/field";
import { Notice } from "@/app/_components/notice";
import { addDays, dateIn } from "@/app/_components/time";
import { useTRPCClient } from "@/app/_trpc/client";
import { problemWords } from "./planning-dictionary";
import { type PlanAnswer, useKeyedCall } from "./use-plan-act";

export type KnownClinic = { ref: string; name: string; zone: string };
type Props = { clinics: KnownClinic[]; daysMax: number; onAsked(): void; onOpen(id: string): void };

/** Asks for a plan of a clinic's dates: what may move is decided by the rule, and nothing is moved before somebody applies it. */
export function NewCalculation({ clinics, daysMax, onAsked, onOpen }: Props) {
  const t = useTranslations();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" icon="plus" onClick={() => setOpen(true)}>
        {t("planning.newRun")}
      </Button>
      {open && (
        <Dialog open onOpenChange={setOpen} title={t("planning.newRun")} description={t("planning.newRunWhat")}>
          <Form
            clinics={clinics}
            daysMax={daysMax}
            onOpen={(id) => {
              setOpen(false);
              onOpen(id);
            }}
            onAsked={(id) => {
              setOpen(false);
              onAsked();
              onOpen(id);
            }}
          />
        </Dialog>
      )}
    </>
  );
}

type FormProps = { clinics: KnownClinic[]; daysMax: number; onAsked(id: string): void; onOpen(id: string): void };

function Form({ clinics, daysMax, onAsked, onOpen }: FormProps) {
  const t = useTranslations();
  const client = useTRPCClient();
  const [clinicRef, setClinicRef] = useState(clinics[0]?.ref ?? "");
  const zone = clinics.find(({ ref }) => ref === clinicRef)?.zone ?? "UTC";
  const [from, setFrom] = useState(() => dateIn(Date.now(), zone));
  const [until, setUntil] = useState(() => addDays(dateIn(Date.now(), zone), 4));
  const [refused, setRefused] = useState<PlanAnswer["body"]>();
  const isWrong = from === "" || until === "" || until < from || until > addDays(from, daysMax - 1);
  const call = useKeyedCall<{ fromDate: string; untilDate: string }>(
    (key, change) => client.planning.request.mutate({ clinicId: clinicRef, key, change }, { signal: AbortSignal.timeout(20_000) }),
    (answer) => {
      if (answer.status < 300) onAsked(`run.${String(answer.body.id)}`);
      else setRefused(answer.body);
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isWrong || call.phase !== "idle") return;
    setRefused(undefined);
    call.send({ fromDate: from, untilDate: until });
  };
  const running = refused?.code === "planning-running" ? String(refused.runId ?? "") : null;
  const word = refused?.code ? problemWords[refused.code] : undefined;
  return (
    <form onSubmit={submit} className="mt-4 grid gap-3">
      <SelectField label={t("scope.clinic")} value={clinicRef} onChange={(event) => setClinicRef(event.target.value)}>
        {clinics.map((clinic) => (
          <option key={clinic.ref} value={clinic.ref}>
            {clinic.ref} {clinic.name}
          </option>
        ))}
      </SelectField>
      <div className="grid grid-cols-2 gap-3">
        <Field
          label={t("planning.fromDate")}
          hint={zone}
          type="date"
          required
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        <Field
          label={t("planning.untilDate")}
          type="date"
          required
          min={from}
          value={until}
          error={isWrong && until !== "" ? t("planning.rangeWrong", { count: daysMax }) : null}
          onChange={(event) => setUntil(event.target.value)}
        />
      </div>
      {refused && (
        <Notice glyph="stale" family="hold" alert>
          {running
            ? t("planning.running", { ref: String(refused.ref ?? "") })
            : word
              ? t(word)
              : t("problem.other", { code: refused.code ?? "" })}{" "}
          {running && (
            <Button look="link" size="sm" onClick={() => onOpen(`run.${running}`)}>
              {t("planning.openRunning")}
            </Button>
          )}
        </Notice>
      )}
      {call.phase === "unanswered" ? (
        <>
          <Notice glyph="warn" family="wait" alert>
            {t("act.unanswered")}
          </Notice>
          <Button look="primary" size="lg" onClick={call.retry}>
            {t("retry.now")}
          </Button>
        </>
      ) : (
        <Button look="primary" size="lg" type="submit" busy={call.phase === "sending"}>
          {t("planning.calculate")}
        </Button>
      )}
    </form>
  );
}
