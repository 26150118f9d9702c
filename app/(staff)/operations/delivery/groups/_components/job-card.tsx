"use client";

import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { useLocale, useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { buttonClass } from "@/app/_components/button-class";
import { KeyValue, KeyValueList } from "@/app/_components/key-value";
import { reasonWords } from "@/app/_components/reason-dictionary";
import { Ref } from "@/app/_components/ref";
import { saveFile } from "@/app/_components/save-file";
import { StateMark } from "@/app/_components/state";
import { epochMs, formatTime, Time } from "@/app/_components/time";
import { useTRPC } from "@/app/_trpc/client";
import { useApart } from "../../../stories/_components/use-apart";
import { JobControls } from "../../_components/replay/job-controls";
import { jobStates } from "../../_components/replay/replay-words";
import type { Job } from "../../_components/replay/use-replay";
import { JobItems } from "./job-items";
import { OffsetsTable } from "./offsets-table";
import { ProgressBar } from "./progress-bar";
import { ReceiptTable } from "./receipt-table";

/** One job: while it is open its progress and controls, when it has ended its receipt, what is left, and the offsets before and after. */
export function JobCard({ job, isOpenAtFirst, clinic }: { job: Job; isOpenAtFirst: boolean; clinic: string | undefined }) {
  const t = useTranslations();
  const locale = useLocale();
  const [isShown, setShown] = useState(isOpenAtFirst);
  const state = jobStates[job.state];
  const reason = job.endedReason ? reasonWords[job.endedReason] : undefined;
  const { zone } = job;
  return (
    <section className="jb" aria-labelledby={`job-${job.requestId}`} data-job={job.jobRef}>
      <div className="jh">
        <h3 id={`job-${job.requestId}`}>
          <Ref>{job.jobRef ?? job.ref}</Ref>
        </h3>
        <StateMark glyph={state.glyph} family={state.family} pill>
          {t(state.label)}
        </StateMark>
        <span className="sp" />
        <span className="r num">
          {(job.startedAt ?? job.approvedAt) && (
            <Time at={(job.startedAt ?? job.approvedAt) as string} zone={zone} as="seconds" locale={locale} />
          )}
          {job.endedAt && (
            <>
              –<Time at={job.endedAt} zone={zone} as="seconds" locale={locale} />
            </>
          )}
        </span>
      </div>
      <ProgressBar job={job} />
      <p className="text-meta">
        {t(state.meaning)} {reason && t(reason)}
      </p>
      {!job.endedAt && (
        <>
          <Facts job={job} />
          <JobControls job={job} />
        </>
      )}
      {job.endedAt && !isShown && (
        <Button look="link" size="sm" aria-label={`${t("replay.expand")}, ${job.jobRef}`} onClick={() => setShown(true)}>
          {t("replay.expand")}
        </Button>
      )}
      {job.endedAt && isShown && <Receipt job={job} clinic={clinic} />}
    </section>
  );
}

/** A runner looks every half second: after this long nobody is there to look. */
const notStartedAfterMs = 20_000;

function Facts({ job }: { job: Job }) {
  const t = useTranslations();
  const apart = useApart();
  const locale = useLocale();
  const { bounds, zone } = job;
  const tried = job.counts.PROCESSED + job.counts.DUPLICATE + job.counts.RETRYABLE + job.counts.QUARANTINED;
  const waitsMs = job.state === "QUEUED" && job.approvedAt ? epochMs(job.asOf) - epochMs(job.secondApprovedAt ?? job.approvedAt) : 0;
  return (
    <KeyValueList>
      {waitsMs > notStartedAfterMs && (
        <KeyValue term={t("replay.lease")} wrap>
          {t("replay.notStarted", { age: apart(waitsMs) })}
        </KeyValue>
      )}
      <KeyValue term={t("replay.consumer")}>{job.consumer}</KeyValue>
      {bounds && (
        <>
          <KeyValue term={t("replay.canary")} wrap>
            <span className="num">
              {t("replay.canaryOf", {
                tried: Math.min(tried, bounds.canarySize),
                size: Math.min(bounds.canarySize, job.records),
                share: bounds.stopSharePercent,
              })}
            </span>
          </KeyValue>
          <KeyValue term={t("replay.rate")}>
            <span className="num">{t("replay.perSecond", { count: bounds.ratePerSecond })}</span>
          </KeyValue>
        </>
      )}
      {job.leaseUntil && (
        <KeyValue term={t("replay.lease")} wrap>
          {job.leaseOwner?.split(":")[0]}{" "}
          <span className="dim num">
            {t("replay.leaseUntil", { at: formatTime(job.leaseUntil, zone, "seconds", locale), fence: job.fence })}
          </span>
        </KeyValue>
      )}
      {job.lookedAt && (
        <KeyValue term={t("replay.looked")}>
          <Time at={job.lookedAt} zone={zone} as="seconds" locale={locale} />
        </KeyValue>
      )}
      {job.approverRef && job.approvedAt && (
        <KeyValue term={t("replay.approved")}>
          <Ref>{job.approverRef}</Ref> <Time className="dim" at={job.approvedAt} zone={zone} as="seconds" locale={locale} />
        </KeyValue>
      )}
      {job.secondApproverRef && job.secondApprovedAt && (
        <KeyValue term={t("replay.second")}>
          <Ref>{job.secondApproverRef}</Ref> <Time className="dim" at={job.secondApprovedAt} zone={zone} as="seconds" locale={locale} />
        </KeyValue>
      )}
    </KeyValueList>
  );
}

function Receipt({ job, clinic }: { job: Job; clinic: string | undefined }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const left = job.records - job.counts.PROCESSED - job.counts.DUPLICATE;
  const exported = useMutation(
    trpc.replay.export.mutationOptions({
      onSuccess: (receipt) =>
        saveFile({ text: JSON.stringify(receipt, null, 2), fileName: `receipt-${job.jobRef}.json`, mediaType: "application/json" }),
    }),
  );
  const rows = `/operations/delivery?${new URLSearchParams({ ...(clinic ? { clinic } : {}), q: job.requestId })}`;
  return (
    <>
      <p className="b5">
        {left > 0
          ? t("replay.settledLeft", { settled: job.records - left, records: job.records, left })
          : t("replay.settledAll", { records: job.records })}
      </p>
      <p className="dim text-meta">{t("replay.askedBy", { consumer: job.consumer, ref: job.approverRef ?? "" })}</p>
      <ReceiptTable job={job} />
      <JobItems job={job} />
      {job.missing.length > 0 && (
        <div className="text-meta">
          <b>{t("replay.missing")}</b>
          <ul>
            {job.missing.map(({ partition, first, last }) => (
              <li key={`${partition} ${first}`} className="num">
                {t("replay.missingAt", { partition, first, last })}
              </li>
            ))}
          </ul>
        </div>
      )}
      <OffsetsTable job={job} />
      {exported.isError && (
        <p className="text-meta" role="alert">
          {t("replay.exportFailed")}
        </p>
      )}
      <div className="rowb">
        {left > 0 && (
          <Link className={buttonClass({ look: "bordered", size: "sm" })} prefetch={false} href={rows}>
            {t("replay.showRows", { count: left })}
          </Link>
        )}
        <Button size="sm" icon="ext" busy={exported.isPending} onClick={() => exported.mutate({ job: job.requestId })}>
          {t("replay.export")}
        </Button>
      </div>
    </>
  );
}
