"use client";

import { CheckList, CheckSummary } from "@/app/(staff)/operations/delivery/_components/replay/check-list";
import { OffByCheck } from "@/app/(staff)/operations/delivery/_components/replay/off-by-check";
import { ProblemLine } from "@/app/(staff)/operations/delivery/_components/replay/problem-line";
import { JobCard } from "@/app/(staff)/operations/delivery/groups/_components/job-card";
import { Part } from "./part";
import { QuietQueries } from "./quiet-queries";
import { allPass, eachResult, jobs } from "./replay-samples";

/** The five checks with each result, what is said when they do not pass, and a replay on its way and at each end. */
export function ReplayStates() {
  return (
    <>
      <Part name="CheckList, CheckSummary, OffByCheck">
        <div className="border border-line">
          {[allPass, eachResult, null].map((checks) => (
            <section key={checks?.length ? checks[2]?.result : "reading"} className="sec grid gap-2">
              {checks && (
                <p>
                  <CheckSummary checks={checks} />
                </p>
              )}
              <CheckList checks={checks} />
              {checks && (
                <p className="why">
                  <OffByCheck checks={checks} refusal="RF-000031" canKeep />
                </p>
              )}
            </section>
          ))}
        </div>
      </Part>
      <Part name="ProblemLine">
        <ProblemLine problem={{ code: "no-answer" }} />
        <ProblemLine problem={{ code: "event-log-unavailable" }} />
        <ProblemLine problem={{ code: "replay-already-open", refusal: "RF-000032" }} />
      </Part>
      <Part name="JobCard">
        <QuietQueries>
          <div className="border border-line">
            {jobs.map((job) => (
              <JobCard key={job.requestId} job={job} isOpenAtFirst clinic={undefined} />
            ))}
          </div>
        </QuietQueries>
      </Part>
    </>
  );
}
