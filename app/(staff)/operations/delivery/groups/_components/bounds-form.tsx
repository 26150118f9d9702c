"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { Button } from "@/app/_components/button";
import { Field } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import { shortIdentity } from "@/app/_components/ref";
import type { MessageKey } from "@/app/_i18n/messages";
import type { ReplayBounds } from "@/server/domain/replay/types";
import { WordsField } from "../../_components/act-form";
import { OffByCheck } from "../../_components/replay/off-by-check";
import type { Preview } from "../../_components/replay/use-replay";

type Props = {
  clinicRef: string;
  preview: Preview | null;
  phase: "idle" | "reading" | "sending";
  recordsOffered: number;
  /** Freezes anew, under another id. */
  onRead(recordsMax: number): void;
  onApprove(reason: string, bounds: ReplayBounds): void;
};

const limits = { canary: [1, 50], rate: [1, 50], records: [1, 10_000], minutes: [1, 5], share: [0, 100] } as const;
type Name = keyof typeof limits;
const labels: Record<Name, MessageKey> = {
  canary: "replay.range.canary",
  rate: "replay.range.rate",
  records: "replay.range.maxRecords",
  minutes: "replay.range.maxTime",
  share: "replay.range.share",
};

/** Canary, rate, bounds and the reason. What is off says why, next to the button; the answer that is missing is asked for by the primary one. */
export function BoundsForm({ clinicRef, preview, phase, recordsOffered, onRead, onApprove }: Props) {
  const t = useTranslations();
  const request = preview?.request ?? null;
  const [values, setValues] = useState<Record<Name, string>>({
    canary: String(Math.min(10, request?.records ?? recordsOffered)),
    rate: "20",
    records: String(request?.records ?? recordsOffered),
    minutes: "3",
    share: "20",
  });
  const [reason, setReason] = useState("");
  const [asked, setAsked] = useState(false);
  const number = (name: Name) => (/^\d{1,5}$/.test(values[name].trim()) ? Number(values[name]) : Number.NaN);
  const isWrong = (name: Name) => !(number(name) >= limits[name][0] && number(name) <= limits[name][1]);
  const wrong = (Object.keys(limits) as Name[]).filter(isWrong);
  const isOther = request !== null && number("records") !== request.records;
  const failed = preview?.checks.find(({ result }) => result === "FAIL" || result === "UNKNOWN");
  const isDone = request !== null && request.state !== "PREVIEWED";
  const isBlocked = !request || failed !== undefined || isOther || preview?.openRequest != null || wrong.length > 0;
  const reasonMissing = reason.trim().length < 8;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (isBlocked || reasonMissing || phase !== "idle" || isDone) return;
    onApprove(reason.trim(), {
      canarySize: number("canary"),
      ratePerSecond: number("rate"),
      maxSeconds: number("minutes") * 60,
      stopSharePercent: number("share"),
    });
  };
  const field = (name: Name, hint: string, unit: string) => (
    <Field
      label={t(labels[name])}
      hint={hint}
      unit={unit}
      inputMode="numeric"
      value={values[name]}
      locked={phase !== "idle" || isDone}
      error={isWrong(name) ? t("replay.range.numberWrong", { min: limits[name][0], max: limits[name][1] }) : null}
      onChange={(event) => setValues({ ...values, [name]: event.target.value })}
    />
  );
  if (isDone && request)
    return (
      <p className="why" role="status">
        <Icon name="check" />
        <span>{t(request.state === "AWAITING_SECOND" ? "replay.range.asked" : "replay.range.queued", { ref: request.jobRef ?? "" })}</span>
      </p>
    );
  return (
    <form className="go" onSubmit={submit} aria-label={t("replay.range.bounds")}>
      <div className="bnds">
        {field("canary", t("replay.range.canaryHint"), t("replay.range.canaryUnit"))}
        {field("rate", t("replay.range.rateHint"), t("replay.range.rateUnit"))}
        {field("records", t("replay.range.maxRecordsHint"), t("replay.range.canaryUnit"))}
        {field("minutes", t("replay.range.maxTimeHint"), t("replay.range.minutes"))}
        {field("share", t("replay.range.shareHint"), t("replay.range.shareUnit"))}
        <div className="fl">
          <span className="lb">{t("replay.range.takes")}</span>
          <span className="num">
            {!isWrong("rate") && request ? t("time.short.seconds", { count: Math.ceil(request.records / number("rate")) }) : "–"}{" "}
            <span className="dim text-meta">{!isWrong("rate") && t("replay.range.takesAt", { count: number("rate") })}</span>
          </span>
        </div>
      </div>
      {request?.needsSecond && (
        <div className="two2p">
          <Icon name="users" />
          <p>
            <b>{t("replay.range.secondNeeded")}</b>{" "}
            {t("replay.range.secondWhy", { records: request.records, clinic: clinicRef, digest: shortIdentity(request.manifestDigest) })}
          </p>
        </div>
      )}
      <WordsField
        label={t("replay.reason")}
        value={reason}
        locked={phase !== "idle"}
        error={asked && reasonMissing ? t("replay.reasonMissing") : null}
        onChange={setReason}
      />
      {isBlocked && (
        <p className="why" id="range-off">
          <Icon name="lock" />
          <span>{failed ? <OffByCheck checks={preview?.checks ?? []} refusal={preview?.refusal ?? null} /> : whyOff()}</span>
        </p>
      )}
      <div className="rowb">
        <Button
          look={isBlocked ? "primary" : "bordered"}
          size="lg"
          className="grow"
          icon="recalc"
          busy={phase === "reading"}
          onClick={() => !isWrong("records") && onRead(number("records"))}
        >
          {t("replay.readAgain")}
        </Button>
        <Button
          look={isBlocked ? "bordered" : "primary"}
          size="lg"
          className="grow"
          type="submit"
          icon={isBlocked ? "lock" : "replay"}
          offBecause={isBlocked ? "range-off" : undefined}
          busy={phase === "sending"}
        >
          {phase === "sending" ? t("replay.approving") : request?.needsSecond ? t("replay.askToApprove") : t("replay.approve")}
        </Button>
      </div>
    </form>
  );

  function whyOff(): string {
    if (preview?.openRequest) return t("replay.heldBy", { ref: preview.openRequest.jobRef });
    if (!request) return phase === "reading" ? t("replay.reading") : t("replay.notAnswered");
    const name = wrong[0] ?? "rate";
    return isOther && !wrong.includes("records")
      ? t("replay.range.freezeAgain")
      : `${t(labels[name])}: ${t("replay.range.numberWrong", { min: limits[name][0], max: limits[name][1] })}`;
  }
}
