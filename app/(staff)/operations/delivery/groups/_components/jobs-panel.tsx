"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { EmptyState, SkeletonRows } from "@/app/_components/notice";
import { useTRPC } from "@/app/_trpc/client";
import { JobCard } from "./job-card";

/** Approved replays, newest first: those that run with their controls, those that ended with their receipt. Closing it never cancels anything. */
export function JobsPanel({ clinic }: { clinic: string | undefined }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const jobs = useQuery(
    trpc.replay.jobs.queryOptions(
      { clinic },
      { refetchInterval: ({ state }) => (state.data?.some(({ endedAt }) => !endedAt) ? 1_000 : 5_000) },
    ),
  );
  const newestEnded = jobs.data?.find(({ endedAt }) => endedAt)?.requestId;
  return (
    <aside className="ev" aria-labelledby="jobs-heading">
      <div className="evh">
        <h2 id="jobs-heading">{t("replay.jobs")}</h2>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard */}
      <section className="evb" tabIndex={0} aria-label={t("replay.jobs")}>
        {jobs.isPending && <SkeletonRows rows={3} label={t("replay.readingJobs")} />}
        {jobs.isError && !jobs.data && (
          <EmptyState
            glyph="off"
            title={t("replay.jobsFailed")}
            alert
            action={
              <Button size="sm" icon="recalc" onClick={() => jobs.refetch()}>
                {t("action.readAgain")}
              </Button>
            }
          />
        )}
        {jobs.data?.length === 0 && <EmptyState glyph="replay" title={t("replay.noJobs")} />}
        {jobs.data?.map((job) => (
          <JobCard key={job.requestId} job={job} isOpenAtFirst={!job.endedAt || job.requestId === newestEnded} clinic={clinic} />
        ))}
      </section>
    </aside>
  );
}
