"use client";

import { useTranslations } from "next-intl";
import { AttemptsList, CallsList } from "@/app/(staff)/operations/delivery/_components/attempts-list";
import { BulkBar } from "@/app/(staff)/operations/delivery/_components/bulk-bar";
import { Checkbox } from "@/app/(staff)/operations/delivery/_components/checkbox";
import { RowResult } from "@/app/(staff)/operations/delivery/_components/row-result";
import { TouchedList } from "@/app/(staff)/operations/delivery/_components/touched-list";
import { WorkNotes } from "@/app/(staff)/operations/delivery/_components/work-notes";
import type { Attempt, Call } from "@/server/domain/operations/delivery-evidence";
import { queue, work } from "./delivery-samples";
import { Part } from "./part";
import { QuietQueries } from "./quiet-queries";
import { day, zone } from "./samples";

const nothing = () => {};
const attempt = (n: number, outcome: Attempt["outcome"], reasonCode: string | null): Attempt => ({
  at: day(`13:5${n}`),
  attempt: n,
  outcome,
  reasonCode,
  durationMs: 34,
  worker: "w-1",
  partition: 7,
  offset: String(n),
});
const attempts = [
  attempt(1, "RETRYABLE", "DATABASE_BUSY"),
  attempt(2, "FENCED", null),
  attempt(3, "QUARANTINED", "ATTEMPTS_EXHAUSTED"),
  attempt(4, "PROCESSED", null),
  attempt(5, "DUPLICATE", null),
];
const outcomes: Call["outcome"][] = ["FIRST", "REPLAYED", "REUSED", "IN_PROGRESS", "OVERLOADED"];
const calls = outcomes.map((outcome, n): Call => {
  const status = [201, 201, 409, 409, 503][n] ?? 500;
  return { at: day(`13:5${n}`), outcome, status, actorKind: "token", requestId: `r${n}`, durationMs: 12 };
});
const touches = ["delivery.assign", "delivery.keepQuarantined"].map((act, n) => ({
  at: day(`14:0${n}`),
  actorKind: "person",
  actorRef: "ST-000417",
  actorRole: "STAFF",
  act,
  result: n === 0 ? "DONE" : "REFUSED",
}));

/** Parts of the evidence of a row, and what is done with one or many. */
export function EvidenceStates() {
  const t = useTranslations();
  return (
    <>
      <Part name="AttemptsList, CallsList">
        <AttemptsList deliveries={attempts} zone={zone} />
        <CallsList calls={calls} zone={zone} />
      </Part>
      <Part name="TouchedList, WorkNotes">
        <div className="border border-line">
          <TouchedList touched={touches} zone={zone} />
          <WorkNotes work={work} zone={zone} />
        </div>
      </Part>
      <Part name="Checkbox, RowResult, BulkBar">
        <p className="flex flex-wrap items-center gap-4">
          {([false, "mixed", true] as const).map((checked) => (
            <span key={String(checked)}>
              <Checkbox checked={checked} label={t("delivery.hint.select")} onToggle={nothing} />
            </span>
          ))}
          <RowResult end={{ action: "assign", status: 200, code: undefined }} />
          <RowResult end={{ action: "keepQuarantined", status: 409, code: "row-stale" }} />
        </p>
        <QuietQueries>
          <div className="relative" style={{ height: 64, transform: "translateZ(0)" }}>
            <BulkBar rows={queue.slice(0, 2)} onDone={nothing} onClear={nothing} />
          </div>
        </QuietQueries>
      </Part>
    </>
  );
}
