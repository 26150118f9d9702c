"use client";

import { DrillSteps } from "@/app/(staff)/operations/drills/_components/drill-steps";
import { DrillsTable } from "@/app/(staff)/operations/drills/_components/drills-table";
import type { ListedDrill } from "@/app/(staff)/operations/drills/_components/listed-drill";
import { RecordForm } from "@/app/(staff)/operations/drills/_components/record-form";
import type { DrillEntry, DrillName } from "@/server/domain/drills/catalog";
import type { DrillRun } from "@/server/domain/drills/read-runs";
import { Part } from "./part";
import { at, day, zone } from "./samples";

const nothing = () => {};
const runOf = (drill: DrillName, state: DrillRun["state"], more: Partial<DrillRun> = {}): DrillRun => ({
  id: drill,
  ref: "DR-000012",
  drill,
  carriedOut: "AUTOMATED",
  startedByKind: "person",
  startedByRef: "ST-000417",
  people: null,
  state,
  wanted: "RUN",
  scopeRef: "CL-DRILL1",
  scopeRemovedAt: null,
  takes: 1,
  steps: [
    { code: "publish", state: "DONE", at: day("14:00"), durationMs: 120, facts: { events: 3 } },
    { code: "consume", state: "DONE", at: day("14:01"), durationMs: 4300, facts: {} },
    { code: "retryToLimit", state: "RUNNING", at: day("14:02"), durationMs: null, facts: { waitedMs: 12_000, ofMs: 30_000 } },
  ],
  invariants: [],
  reasonCode: null,
  note: null,
  requestedAt: day("14:00"),
  startedAt: day("14:00"),
  endedAt: null,
  durationMs: null,
  ...more,
});
type Shown = "poison-event" | "schema-mismatch" | "lease-lost" | "stale-result" | "solver-killed" | "broker-down";
const entry = (group: DrillEntry["group"], runbook: string, steps: string[], invariants: string[]): DrillEntry => {
  return { group, runbook, steps, invariants, startedFrom: group === "infrastructure" ? "command-line" : "page" };
};
const fourSteps = ["publish", "consume", "retryToLimit", "checkAll"];
const sixChecks = ["stoppedAtLimit", "poisonHasNoEffect", "neighbourDoneOnce", "successorWaits", "taskOpened", "outOfLiveCounts"];
/** As the catalogue has them: the page asks nobody. */
const entries: Record<Shown, DrillEntry> = {
  "poison-event": entry("delivery", "RB-01", fourSteps, sixChecks),
  "schema-mismatch": entry("delivery", "RB-02", fourSteps, sixChecks.slice(1)),
  "lease-lost": entry("delivery", "RB-04", fourSteps, sixChecks),
  "stale-result": entry("planning", "RB-06", fourSteps, sixChecks.slice(2)),
  "solver-killed": entry("planning", "RB-08", fourSteps, sixChecks.slice(2)),
  "broker-down": entry("infrastructure", "RB-12", fourSteps, sixChecks),
};
const ended = { endedAt: day("14:05"), durationMs: 252_000 };
const drill = (name: Shown, run: DrillRun | null, start: ListedDrill["start"] = { allowed: true }): ListedDrill => ({
  name,
  ...entries[name],
  run,
  start,
  stop: null,
});
const failed = runOf("poison-event", "FAILED", {
  ...ended,
  steps: [
    { code: "publish", state: "DONE", at: day("14:00"), durationMs: 120, facts: { events: 3 } },
    { code: "consume", state: "FAILED", at: day("14:01"), durationMs: 4300, facts: {} },
  ],
  invariants: [
    { code: "stoppedAtLimit", holds: true, expected: "5", found: "5" },
    { code: "neighbourDoneOnce", holds: false, expected: "1", found: "2" },
  ],
});
const byPeople = runOf("solver-killed", "PASSED", { ...ended, carriedOut: "BY_PEOPLE", people: 3, steps: [] });
const running = drill("poison-event", runOf("poison-event", "RUNNING"), { allowed: false, why: "ANOTHER_RUNS" });
const drills: ListedDrill[] = [
  running,
  drill("schema-mismatch", runOf("schema-mismatch", "FAILED", ended)),
  drill("lease-lost", null, { allowed: false, why: "ANOTHER_RUNS" }),
  drill("stale-result", runOf("stale-result", "CANCELLED", ended)),
  drill("solver-killed", byPeople),
  drill("broker-down", null, { allowed: false, why: "COMMAND_LINE_ONLY" }),
];

/** Drills that run, failed, were stopped, were carried out by people or never; the steps of one on its way and of one that failed. */
export function DrillStates() {
  return (
    <>
      <Part name="DrillsTable">
        <div className="drills">
          <DrillsTable
            drills={drills}
            openName="poison-event"
            zone={zone}
            nowMs={at}
            online
            isSending={false}
            onOpen={nothing}
            onStart={nothing}
          />
        </div>
      </Part>
      <Part name="DrillSteps, RecordForm">
        <div className="grid grid-cols-2 gap-2">
          {[running, drill("poison-event", failed)].map((one) => (
            <div key={one.run?.state} className="border border-line">
              <DrillSteps drill={one} zone={zone} />
            </div>
          ))}
        </div>
        <div className="border border-line" style={{ width: 400 }}>
          <RecordForm isSending={false} onCancel={nothing} onRecord={nothing} />
        </div>
      </Part>
    </>
  );
}
