"use client";

import { ApplySection } from "@/app/(staff)/operations/planning/_components/apply-section";
import { CalculationSection } from "@/app/(staff)/operations/planning/_components/calculation-section";
import { FiveQuestions } from "@/app/(staff)/operations/planning/_components/five-questions";
import { RunProgressBar } from "@/app/(staff)/operations/planning/_components/run-progress-bar";
import { VersionComparison } from "@/app/(staff)/operations/planning/_components/version-comparison";
import { Part } from "./part";
import { answered, appliedEvidence, calculated, evidenceOf, retryEvidence, run, staleEvidence, unanswered } from "./plan-samples";
import { at } from "./samples";

const asOf = new Date(at).toISOString();
const unread = evidenceOf({ ...calculated, versions: { calculated: "8c1e4d205b1f4c47", current: null } });
const progress = { phase: "search", elapsedMs: 300_000, cost: 412, bound: 380, unassigned: 1 } as const;

/** What a calculation is judged by: equal, different and unread versions; applies that wrote all, nothing, or broke off; answers that are there and missing. */
export function PlanStates() {
  return (
    <>
      <Part name="VersionComparison">
        <div className="border border-line">
          {[evidenceOf(calculated), staleEvidence, unread].map((evidence) => (
            <VersionComparison key={`${evidence.row.ref}.${evidence.row.versions?.current}`} evidence={evidence} />
          ))}
        </div>
      </Part>
      <Part name="ApplySection">
        <div className="border border-line">
          {[appliedEvidence, staleEvidence, retryEvidence].map((evidence) => (
            <ApplySection key={evidence.row.ref} evidence={evidence} />
          ))}
        </div>
      </Part>
      <Part name="CalculationSection, RunProgressBar">
        <div className="border border-line">
          <CalculationSection evidence={evidenceOf(calculated)} />
          <div className="act">
            <RunProgressBar row={run("REQUESTED", { startedAt: null })} asOf={asOf} />
            <RunProgressBar row={run("CALCULATING", { progress })} asOf={asOf} />
          </div>
        </div>
      </Part>
      <Part name="FiveQuestions">
        <div className="border border-line">
          <FiveQuestions questions={answered} />
          <FiveQuestions questions={unanswered} />
        </div>
      </Part>
    </>
  );
}
