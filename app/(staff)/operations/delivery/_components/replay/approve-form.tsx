"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import { WordsField } from "../act-form";

type Props = {
  /** Above the clinic's limit: the approval asks for a second one. */
  needsSecond: boolean;
  busy: boolean;
  onApprove(reason: string): void;
  onCancel(): void;
};

/** The inline confirm: what will happen, a required reason, one button. Enter and click go the same way. */
export function ApproveForm({ needsSecond, busy, onApprove, onCancel }: Props) {
  const t = useTranslations();
  const form = useRef<HTMLFormElement>(null);
  const [reason, setReason] = useState("");
  const [asked, setAsked] = useState(false);
  const isMissing = reason.trim().length < 8;
  useEffect(() => form.current?.querySelector("textarea")?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (!isMissing && !busy) onApprove(reason.trim());
  };
  const word = needsSecond ? t("replay.askToApprove") : t("replay.approve");
  return (
    <form ref={form} className="actform" onSubmit={submit} aria-label={word}>
      <p className="why">{t("replay.willRun")}</p>
      <WordsField
        label={t("replay.reason")}
        value={reason}
        locked={busy}
        error={asked && isMissing ? t("replay.reasonMissing") : null}
        onChange={setReason}
      />
      <div className="rowb">
        <Button look="primary" size="lg" className="grow" icon="replay" type="submit" busy={busy}>
          {busy ? t("replay.approving") : word}
        </Button>
        <Button size="lg" onClick={onCancel} busy={busy}>
          {t("act.cancel")}
        </Button>
      </div>
    </form>
  );
}
