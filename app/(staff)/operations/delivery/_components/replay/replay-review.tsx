"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { KeyIdentity, KeyValue, KeyValueList } from "@/app/_components/key-value";
import { Ref } from "@/app/_components/ref";
import { useTRPC } from "@/app/_trpc/client";
import { ApproveForm } from "./approve-form";
import { CheckList, CheckSummary } from "./check-list";
import { OffByCheck } from "./off-by-check";
import { ProblemLine } from "./problem-line";
import { SecondApproval } from "./second-approval";
import { type Preview, useReplay } from "./use-replay";

/** One row as it was on the screen when the checks were asked for. */
export type ReviewedRow = { inboxId: string; consumer: string; version: string; clinicRef: string };

const oneRow = { canarySize: 1, ratePerSecond: 1, maxSeconds: 60, stopSharePercent: 0 };

/** The replay of one row under review: its checks are read when it opens, under an id that is made then. */
export function useReview(row: ReviewedRow | null) {
  const [openFor, setOpenFor] = useState<string | null>(null);
  const replay = useReplay(row?.clinicRef ?? "");
  const read = (fresh: boolean) =>
    row && replay.read({ kind: "row", consumer: row.consumer, inboxId: row.inboxId, rowVersion: row.version }, fresh);
  const { request } = replay.preview ?? {};
  return {
    row,
    /** The request once it is past its preview: approved, here or by an earlier send. */
    approved: request && request.state !== "PREVIEWED" ? request.requestId : null,
    isOpen: row !== null && openFor === row.inboxId,
    replay,
    open: () => {
      replay.reset();
      setOpenFor(row?.inboxId ?? null);
      read(true);
    },
    /** With a new id: the row may be another one by now. */
    readAgain: () => read(true),
    close: () => {
      setOpenFor(null);
      replay.reset();
    },
  };
}
export type Review = ReturnType<typeof useReview>;

/** The checks among the evidence. */
export function ReviewChecks({ review }: { review: Review }) {
  const t = useTranslations();
  const heading = useRef<HTMLHeadingElement>(null);
  const { preview, phase } = review.replay;
  const checks = phase === "reading" ? null : (preview?.checks ?? null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="sec" aria-labelledby="replay-checks">
      <div className="sech">
        <h3 id="replay-checks" ref={heading} tabIndex={-1}>
          {t("replay.checks")}
        </h3>
        <span className="sp" />
        {checks && <CheckSummary checks={checks} />}
      </div>
      {(checks || phase === "reading") && <CheckList checks={checks} />}
      {preview?.request && (
        <KeyValueList>
          <KeyValue term={t("replay.manifest")}>
            <Ref>{preview.request.ref}</Ref>
          </KeyValue>
          <KeyIdentity term="requestId" value={preview.request.requestId} head={13} />
          <KeyIdentity term={t("replay.range.digest")} value={preview.request.manifestDigest} />
        </KeyValueList>
      )}
    </section>
  );
}

/** Approve, or the reason why not; the safe action is the primary one then. */
export function ReviewActs({ review, live, onKeep }: { review: Review; live: boolean; onKeep(): void }) {
  const t = useTranslations();
  const [confirming, setConfirming] = useState(false);
  const { preview, phase, problem, approve } = review.replay;
  const isDone = review.approved !== null;
  const why = offReason(preview, phase, live);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an approval ends the confirm, and so does a fresh reading
  useEffect(() => setConfirming(false), [isDone, phase === "reading"]);
  if (isDone) return null;
  return (
    <div className="act">
      {problem && <ProblemLine problem={problem} />}
      {confirming && preview?.request ? (
        <ApproveForm
          needsSecond={preview.request.needsSecond}
          busy={phase === "sending"}
          onApprove={(reason) => approve(reason, oneRow)}
          onCancel={() => setConfirming(false)}
        />
      ) : (
        <>
          <p className="why" id="replay-off">
            <Icon name={why ? "lock" : "info"} />
            <span>{why ? <OffWords why={why} preview={preview} /> : t("replay.bounds")}</span>
          </p>
          {preview?.openRequest?.state === "AWAITING_SECOND" && <SecondApproval requestId={preview.openRequest.requestId} />}
          <div className="rowb">
            <Button
              look={why ? "bordered" : "primary"}
              size="lg"
              className="grow"
              icon={why ? "lock" : "replay"}
              offBecause={why ? "replay-off" : undefined}
              onClick={() => setConfirming(true)}
            >
              {preview?.request?.needsSecond ? t("replay.askToApprove") : t("replay.approve")}
            </Button>
            <Button look={why ? "primary" : "bordered"} size="lg" className="grow" onClick={onKeep}>
              {t("replay.keep")}
            </Button>
          </div>
          <div className="rowb">
            <Button look="link" size="sm" icon="recalc" busy={phase === "reading"} onClick={review.readAgain}>
              {t("replay.readAgain")}
            </Button>
            <Button look="link" size="sm" onClick={review.close}>
              {t("replay.close")}
            </Button>
          </div>
        </>
      )}
    </div>
  );
}

type Off = "OLD" | "READING" | "UNREAD" | "OPEN" | "FAILED";

function offReason(preview: Preview | null, phase: string, live: boolean): Off | null {
  if (!live) return "OLD";
  if (phase === "reading") return "READING";
  if (!preview) return "UNREAD";
  if (preview.openRequest) return "OPEN";
  return preview.checks.some(({ result }) => result === "FAIL" || result === "UNKNOWN") ? "FAILED" : null;
}

function OffWords({ why, preview }: { why: Off; preview: Preview | null }) {
  const t = useTranslations();
  if (why === "OLD") return t("act.off.old");
  if (why === "READING") return t("replay.reading");
  if (why === "UNREAD") return t("replay.notAnswered");
  if (why === "OPEN") return `${t("replay.heldBy", { ref: preview?.openRequest?.jobRef ?? "" })} ${t("replay.firstRequest")}`;
  return <OffByCheck checks={preview?.checks ?? []} refusal={preview?.refusal ?? null} canKeep />;
}

/** The last approved replay of a row; stays there after a reload and in every other browser. */
export function useReplayOfRow(inboxId: string | null, clinic: string | undefined) {
  const trpc = useTRPC();
  return useQuery(
    trpc.replay.ofRow.queryOptions(
      { clinic, inboxId: inboxId ?? "" },
      { enabled: inboxId !== null, refetchInterval: ({ state }) => (state.data && !state.data.endedAt ? 1_000 : 10_000) },
    ),
  );
}
