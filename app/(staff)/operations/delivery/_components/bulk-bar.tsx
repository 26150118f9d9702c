"use client";

import { TRPCClientError } from "@trpc/client";
import { useTranslations } from "next-intl";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import { KeyHint } from "@/app/_components/key-hint";
import { useTRPCClient } from "@/app/_trpc/client";
import type { BulkAct, RowResult } from "@/server/domain/deliveries/act-on-rows";
import type { OfferedRow } from "@/server/domain/operations/queue-actions";
import { WordsField } from "./act-form";

/** As many as one call may name. */
const rowsMax = 200;

type Props = { rows: OfferedRow[]; onDone(action: BulkAct["act"], results: RowResult[]): void; onClear(): void };

/** Assign or keep the selected rows: one answer for each, which stays on its row. Replay is approved one by one, so it is not offered here. */
export function BulkBar({ rows, onDone, onClear }: Props) {
  const t = useTranslations();
  const client = useTRPCClient();
  const [phase, setPhase] = useState<"idle" | "sending" | "unanswered">("idle");
  const [keeping, setKeeping] = useState(false);
  const [words, setWords] = useState("");
  const [asked, setAsked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (keeping) form.current?.querySelector("textarea")?.focus();
  }, [keeping]);
  const open = useRef<{ key: string; act: BulkAct; rows: OfferedRow[] } | null>(null);
  const forAct = (act: BulkAct["act"]) => rows.filter((row) => (act === "assign" ? row.canAssign : row.canKeep));

  const start = (act: BulkAct) => {
    if (open.current) return;
    open.current = { key: crypto.randomUUID(), act, rows: forAct(act.act).slice(0, rowsMax) };
    void transmit();
  };
  /** Rows of one clinic go in one call; under the same keys again after a lost answer. */
  async function transmit() {
    const sent = open.current;
    if (!sent) return;
    setPhase("sending");
    const results: RowResult[] = [];
    try {
      for (const clinicId of new Set(sent.rows.map((row) => row.clinicRef))) {
        const seen = sent.rows.filter((row) => row.clinicRef === clinicId);
        const named = seen.map(({ id, version, taskVersion }) => ({ id, version: version ?? "0", taskVersion: taskVersion ?? "0" }));
        results.push(...(await client.delivery.acts.onRows.mutate({ clinicId, key: sent.key, rows: named, change: sent.act })));
      }
    } catch (error) {
      const problem = error instanceof TRPCClientError ? error.data?.problem : undefined;
      if (!problem || problem.retryable) return setPhase("unanswered");
      results.push(
        ...sent.rows
          .filter((row) => !results.some(({ id }) => id === row.id))
          .map(({ id }) => ({ id, status: problem.status, body: problem })),
      );
    }
    open.current = null;
    setPhase("idle");
    setKeeping(false);
    setWords("");
    onDone(sent.act.act, results);
  }
  const keep = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (words.trim().length >= 3) start({ act: "keepQuarantined", reason: words.trim() });
  };

  return (
    <section className="bulk" aria-label={t("bulk.label")}>
      <b className="b6 nw">{t("bulk.selected", { count: rows.length })}</b>
      {keeping ? (
        <form className="bulkform" onSubmit={keep} ref={form}>
          <WordsField
            label={t("bulk.reason", { count: forAct("keepQuarantined").length })}
            value={words}
            locked={phase !== "idle"}
            error={asked && words.trim().length < 3 ? t("act.wordsMissing") : null}
            onChange={setWords}
          />
          <Button size="sm" look="primary" type="submit" busy={phase === "sending"}>
            {t("next.keepQuarantined")}
          </Button>
          <Button size="sm" onClick={() => setKeeping(false)}>
            {t("act.cancel")}
          </Button>
        </form>
      ) : (
        <>
          <span className="dim nw">{t("bulk.noReplay")}</span>
          <span className="sp" />
          {forAct("assign").length > 0 && (
            <Button size="sm" busy={phase === "sending"} onClick={() => start({ act: "assign" })}>
              {t("next.assign")}
            </Button>
          )}
          {forAct("keepQuarantined").length > 0 && (
            <Button size="sm" onClick={() => setKeeping(true)}>
              {t("next.keepQuarantined")}
            </Button>
          )}
          <Button size="sm" look="quiet" onClick={onClear}>
            {t("bulk.clear")} <KeyHint keys="Esc" />
          </Button>
        </>
      )}
      {phase === "unanswered" && (
        <p role="alert" className="nw">
          {t("retry.title")}{" "}
          <Button look="link" size="sm" onClick={() => void transmit()}>
            {t("retry.now")}
          </Button>
        </p>
      )}
    </section>
  );
}
