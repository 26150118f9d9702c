"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import { Field, SegmentedControl, SelectField } from "@/app/_components/field";
import type { MessageKey } from "@/app/_i18n/messages";
import { useTRPC } from "@/app/_trpc/client";
import { actionWords } from "./act-words";
import { nextWallClock } from "./retry-time";
import type { Act } from "./use-act";

type Props = {
  action: Exclude<Act["action"], "assign">;
  clinicRef: string;
  zone: string;
  nowMs: number | undefined;
  followers: number;
  phase: "idle" | "sending" | "unanswered";
  onSend(change: Act["change"]): void;
  onRetry(): void;
  onCancel(): void;
};

const minutesAhead = { now: 0, soon: 10, later: 60 } as const;
type When = keyof typeof minutesAhead | "at";

/** What will happen, said before it is confirmed. */
const hints: Record<Props["action"], MessageKey> = {
  handOver: "act.hint.handOver",
  addNote: "act.hint.addNote",
  scheduleRetry: "act.hint.scheduleRetry",
  keepQuarantined: "act.hint.keepQuarantined",
  retryPublish: "act.hint.retryPublish",
  skipPublish: "act.hint.skipPublish",
  releaseSequence: "act.hint.releaseSequence",
};

/** The inline confirm of an act: words, a time or a colleague, then one button. Enter and click go the same way. */
export function ActForm({ action, clinicRef, zone, nowMs, followers, phase, onSend, onRetry, onCancel }: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const form = useRef<HTMLFormElement>(null);
  const [words, setWords] = useState("");
  const [when, setWhen] = useState<When>("now");
  const [time, setTime] = useState("");
  const [to, setTo] = useState("");
  const [asked, setAsked] = useState(false);
  const colleagues = useQuery(trpc.delivery.colleagues.queryOptions({ clinic: clinicRef }, { enabled: action === "handOver" }));
  useEffect(() => form.current?.querySelector<HTMLElement>("textarea, select, input:checked")?.focus(), []);
  const locked = phase !== "idle";
  const wordsMissing = action !== "scheduleRetry" && words.trim().length < 3;
  const atMs = when === "at" && nowMs !== undefined ? nextWallClock(nowMs, zone, time) : null;
  const timeMissing = action === "scheduleRetry" && when === "at" && atMs === null;
  const toMissing = action === "handOver" && to === "";

  /** Esc leaves the form, and only then the panel. */
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || locked) return;
    event.preventDefault();
    onCancel();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (locked || wordsMissing || timeMissing || toMissing) return;
    onSend(change());
  };
  function change(): Act["change"] {
    const said = words.trim();
    switch (action) {
      case "scheduleRetry":
        return {
          at:
            when === "now"
              ? null
              : new Date(when === "at" ? (atMs ?? 0) : (nowMs ?? Date.now()) + minutesAhead[when] * 60_000).toISOString(),
        };
      case "handOver":
        return { to, note: said };
      case "addNote":
        return { text: said };
      default:
        return { reason: said };
    }
  }

  return (
    <form ref={form} className="actform" onSubmit={submit} onKeyDown={leave} aria-label={t(actionWords[action])}>
      <p className="why">{t(hints[action], { count: followers })}</p>
      {action === "scheduleRetry" && (
        <>
          <SegmentedControl
            label={t("act.when")}
            name="when"
            value={when}
            locked={locked}
            onChange={(value) => setWhen(value as When)}
            choices={[
              { value: "now", label: t("act.now") },
              { value: "soon", label: t("act.inMinutes", { count: minutesAhead.soon }) },
              { value: "later", label: t("act.inMinutes", { count: minutesAhead.later }) },
              { value: "at", label: t("act.atTime") },
            ]}
          />
          {when === "at" && (
            <Field
              label={t("act.time")}
              hint={zone}
              type="time"
              value={time}
              locked={locked}
              error={asked && timeMissing ? t("act.timeMissing") : null}
              onChange={(event) => setTime(event.target.value)}
            />
          )}
        </>
      )}
      {action === "handOver" && (
        <SelectField
          label={t("act.to")}
          value={to}
          locked={locked}
          error={asked && toMissing ? t("act.toMissing") : null}
          onChange={(event) => setTo(event.target.value)}
        >
          <option value="">{t("act.choose")}</option>
          {(colleagues.data ?? []).map((ref) => (
            <option key={ref} value={ref}>
              {ref}
            </option>
          ))}
        </SelectField>
      )}
      {action !== "scheduleRetry" && (
        <WordsField
          label={t(action === "addNote" || action === "handOver" ? "act.note" : "act.reason")}
          value={words}
          locked={locked}
          error={asked && wordsMissing ? t("act.wordsMissing") : null}
          onChange={setWords}
        />
      )}
      {phase === "unanswered" && (
        <p className="why" role="alert">
          <b>{t("retry.title")}</b> {t("act.unanswered")}
        </p>
      )}
      <div className="rowb">
        {phase === "unanswered" ? (
          <Button look="primary" size="lg" className="grow" onClick={onRetry}>
            {t("retry.now")}
          </Button>
        ) : (
          <Button look="primary" size="lg" className="grow" type="submit" busy={phase === "sending"}>
            {t(actionWords[action])}
          </Button>
        )}
        <Button size="lg" onClick={onCancel} busy={phase === "sending"}>
          {t("act.cancel")}
        </Button>
      </div>
    </form>
  );
}

/** Enter sends, Shift+Enter is a new line; a Korean syllable that is being put together takes its Enter for itself. */
export function WordsField({
  label,
  value,
  locked,
  error,
  onChange,
}: {
  label: string;
  value: string;
  locked: boolean;
  error: string | null;
  onChange(value: string): void;
}) {
  const t = useTranslations();
  const id = useId();
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  return (
    <div className="fl">
      <label htmlFor={id}>
        {label}
        <span className="hint ml-auto">{t("act.wordsHint")}</span>
      </label>
      <div className={error ? "in bad" : "in"}>
        <textarea
          id={id}
          rows={2}
          maxLength={500}
          value={value}
          readOnly={locked}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      {error && (
        <p className="err" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
