"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { useTRPC } from "@/app/_trpc/client";
import { ProblemLine } from "./problem-line";
import { SecondApproval } from "./second-approval";
import { type Job, problemOf } from "./use-replay";

/** Pause, resume and cancel of an open job. What is asked for is said until the runner has obeyed. */
export function JobControls({ job }: { job: Job }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [isSure, setSure] = useState(false);
  const settled = { onSettled: () => queries.invalidateQueries(trpc.replay.pathFilter()) };
  const pause = useMutation(trpc.replay.pause.mutationOptions(settled));
  const resume = useMutation(trpc.replay.resume.mutationOptions(settled));
  const cancel = useMutation(trpc.replay.cancel.mutationOptions(settled));
  const failed = [pause, resume, cancel].find(({ isError }) => isError);
  const busy = pause.isPending || resume.isPending || cancel.isPending;
  const on = { clinicId: job.clinicRef, requestId: job.requestId };
  const isHalted = job.wanted === "PAUSE";
  return (
    <>
      {job.state === "RUNNING" && job.wanted !== "RUN" && (
        <p className="text-meta">{t(job.wanted === "PAUSE" ? "replay.wanted.PAUSE" : "replay.wanted.CANCEL")}</p>
      )}
      {failed && <ProblemLine problem={problemOf(failed.error)} />}
      {job.state === "AWAITING_SECOND" && <SecondApproval requestId={job.requestId} />}
      <div className="rowb">
        {job.state !== "AWAITING_SECOND" && job.wanted !== "CANCEL" && (
          <Button size="sm" icon={isHalted ? "replay" : "pause"} busy={busy} onClick={() => (isHalted ? resume : pause).mutate(on)}>
            {isHalted ? t("replay.resume") : t("replay.pause")}
          </Button>
        )}
        {job.wanted !== "CANCEL" && (
          <Button size="sm" busy={busy} onClick={() => (isSure ? cancel.mutate(on) : setSure(true))} onBlur={() => setSure(false)}>
            {isSure ? t("replay.cancelSure") : t("replay.cancel")}
          </Button>
        )}
      </div>
    </>
  );
}
