import { useLocale, useTranslations } from "next-intl";
import { useEffect, useRef } from "react";
import { reasonWords } from "@/app/_components/reason-dictionary";
import { Ref } from "@/app/_components/ref";
import { StateMark } from "@/app/_components/state";
import { Time } from "@/app/_components/time";
import { EarlierDelivery } from "./earlier-delivery";
import { JobControls } from "./job-controls";
import { jobStates, outcomes } from "./replay-words";
import type { JobOfRow } from "./use-replay";

/** The replay of this row: where it stands, and how it ended for this row with what comes next. Never shown as done before the server says so. */
export function RowReplay({ job, takesFocus }: { job: JobOfRow /** It was approved here a moment ago. */; takesFocus: boolean }) {
  const t = useTranslations();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [takesFocus]);
  const locale = useLocale();
  const state = jobStates[job.state];
  const end = job.row.outcome && outcomes[job.row.outcome];
  const reason = reasonWords[job.row.reasonCode ?? job.endedReason ?? ""];
  return (
    <section className="sec" aria-labelledby="row-replay">
      <div className="sech">
        <h3 id="row-replay" ref={heading} tabIndex={-1}>
          {t("replay.title")} {job.jobRef && <Ref>{job.jobRef}</Ref>}
        </h3>
        <span className="sp" />
        <span role="status">
          {end ? (
            <StateMark glyph={end.glyph} family={end.family}>
              {t(end.label)}
            </StateMark>
          ) : (
            <StateMark glyph={state.glyph} family={state.family}>
              {t(state.label)}
            </StateMark>
          )}
        </span>
      </div>
      <p className="text-meta">
        {end ? t(end.row) : t(state.meaning)} {reason && t(reason)}
      </p>
      {job.row.outcome === "DUPLICATE" && (
        <p className="text-meta num">
          <EarlierDelivery
            at={job.row.earlierAt}
            attempt={job.row.earlierAttempt}
            partition={job.row.earlierPartition}
            offset={job.row.earlierOffset}
            zone={job.zone}
          />
        </p>
      )}
      {job.approverRef && job.approvedAt && (
        <p className="dim text-meta num">
          {t("replay.approved")} <Ref>{job.approverRef}</Ref> <Time at={job.approvedAt} zone={job.zone} as="daySeconds" locale={locale} />
          {job.secondApproverRef && (
            <>
              {" · "}
              {t("replay.second")} <Ref>{job.secondApproverRef}</Ref>
            </>
          )}
        </p>
      )}
      {!job.endedAt && <JobControls job={job} />}
    </section>
  );
}
