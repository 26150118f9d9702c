"use client";

import { TRPCClientError } from "@trpc/client";
import { useLocale, useTranslations } from "next-intl";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import { Field } from "@/app/_components/field";
import { Notice } from "@/app/_components/notice";
import { useTRPCClient } from "@/app/_trpc/client";
import type { AppRouter } from "@/server/trpc/root";
import { LikelyDuplicates } from "./likely-duplicates";
import { newKey } from "./pending-command";
import type { ChosenPatient } from "./use-booking-form";

type Typed = { name: string; birthDate: string; phone: string; email: string };
type Duplicate = { id: string; ref: string };
type Props = { clinicId: string; startName: string; onAdded(patient: ChosenPatient): void; onCancel(): void };

/** What a new person must look like: asked for when somebody is added, so that the desk itself loads without it. */
const loadRules = async () => (await import("@/server/domain/patients/types")).newPatient;

/**
 * Adds a person. Likely duplicates come back first and must be said to be somebody else. The key stays the same while the answer to the same text is
 * open; it lives in this page only, because the text does.
 */
export function NewPatientForm({ clinicId, startName, onAdded, onCancel }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const client = useTRPCClient();
  const [typed, setTyped] = useState<Typed>({ name: startName, birthDate: "", phone: "", email: "" });
  const [errors, setErrors] = useState<Partial<Record<keyof Typed, true>>>({});
  const [duplicates, setDuplicates] = useState<Duplicate[]>([]);
  const [problem, setProblem] = useState<"lost" | "refused" | null>(null);
  const [busy, setBusy] = useState(false);
  const sent = useRef<{ text: string; key: string } | null>(null);
  const part = useRef<HTMLElement>(null);
  useEffect(() => {
    part.current?.querySelector("input")?.focus();
    loadRules().catch(() => {}); // ahead of the click; a failure counts when it comes
  }, []);

  const add = async (acknowledged: string[]) => {
    setBusy(true);
    setErrors({});
    setProblem(null);
    try {
      const parsed = (await loadRules()).safeParse({ ...typed, language: locale, acknowledged });
      // half a date, or the 31st of February, has no value: it would be left out without a word
      const halfTyped = part.current?.querySelector<HTMLInputElement>("input[type=date]")?.validity.badInput === true;
      if (!parsed.success || halfTyped) {
        const wrong = parsed.error?.issues.map((issue) => [String(issue.path[0]), true]) ?? [];
        setErrors({ ...Object.fromEntries(wrong), ...(halfTyped && { birthDate: true }) });
        return;
      }
      const text = JSON.stringify(parsed.data);
      if (sent.current?.text !== text) sent.current = { text, key: newKey() };
      const answer = await client.desk.addPatient.mutate({ clinicId, key: sent.current.key, patient: parsed.data });
      sent.current = null;
      if (answer.status === 201) onAdded({ id: String(answer.body.id), ref: String(answer.body.ref), name: parsed.data.name });
      else if (answer.body.code === "patient-likely-duplicate") setDuplicates(answer.body.duplicates as Duplicate[]);
      else setProblem("refused");
    } catch (error) {
      const known = error instanceof TRPCClientError && (error as TRPCClientError<AppRouter>).data?.problem;
      if (known && !known.retryable) sent.current = null;
      setProblem(known && !known.retryable ? "refused" : "lost");
    } finally {
      setBusy(false);
    }
  };
  const field = (name: keyof Typed) => ({
    name,
    value: typed[name],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => {
      setTyped({ ...typed, [name]: event.target.value });
      setDuplicates([]);
    },
  });
  // within the form of the booking: Enter adds the person, and books nothing
  const onEnter = (event: React.KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    if (!busy) add(duplicates.map((one) => one.id));
  };
  return (
    <section
      ref={part}
      className="grid gap-2 rounded-2 border border-line-strong p-3"
      aria-label={t("desk.newPatient")}
      onKeyDown={onEnter}
    >
      <Field label={t("person.name")} autoComplete="off" error={errors.name ? t("person.nameWrong") : null} {...field("name")} />
      <div className="pair">
        <Field
          label={t("person.birthDate")}
          type="date"
          error={errors.birthDate ? t("person.birthDateWrong") : null}
          {...field("birthDate")}
        />
        <Field
          label={t("person.phone")}
          type="tel"
          autoComplete="off"
          error={errors.phone ? t("person.phoneWrong") : null}
          {...field("phone")}
        />
      </div>
      <Field
        label={t("person.email")}
        type="email"
        autoComplete="off"
        error={errors.email ? t("person.emailWrong") : null}
        {...field("email")}
      />
      {duplicates.length > 0 && (
        <LikelyDuplicates
          clinicId={clinicId}
          ids={duplicates.map((one) => one.id)}
          typedName={typed.name}
          typedPhone={typed.phone}
          onChoose={onAdded}
        />
      )}
      {problem === "lost" && (
        <Notice glyph="off" family="plan" title={t("retry.title")} alert>
          {t("person.lost")}
        </Notice>
      )}
      {problem === "refused" && (
        <Notice glyph="fail" family="hold" alert>
          {t("person.refused")}
        </Notice>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" busy={busy} onClick={() => add(duplicates.map((one) => one.id))}>
          {t(duplicates.length > 0 ? "person.addAnyway" : problem === "lost" ? "retry.now" : "person.add")}
        </Button>
        <Button size="sm" look="quiet" onClick={onCancel}>
          {t("person.back")}
        </Button>
      </div>
    </section>
  );
}
