"use client";

import { NotificationBody } from "@/app/(staff)/operations/planning/_components/notification-body";
import { PlanningCards } from "@/app/(staff)/operations/planning/_components/planning-cards";
import { PlanningTable } from "@/app/(staff)/operations/planning/_components/planning-table";
import { useGroupHead } from "@/app/(staff)/operations/planning/_components/use-group-head";
import type {
  NotificationEvidence,
  NotificationRow,
  OfferedPlanningRow,
  PlanningCounts,
  Signal,
} from "@/server/domain/operations/planning-types";
import { Part } from "./part";
import { answered, runs } from "./plan-samples";
import { at, day, zone } from "./samples";

const nothing = () => {};
const noEnds = new Map();
const slow: NotificationRow = {
  id: "notification.c",
  kind: "notification",
  group: "DECISION",
  state: "DEGRADED_REVIEW",
  clinicId: "c",
  clinicRef: "CL-203000",
  zone,
  at: day("13:00"),
  backlog: { waiting: 12, oldestSeconds: 900, givenUp: 2 },
};
const signals: Signal[] = [
  { signal: "BACKLOG", state: "POOR", waiting: 12, oldestSeconds: 900, reviewAfterSeconds: 300 },
  { signal: "GIVEN_UP", state: "POOR", count: 2, lastReason: "CALL_TIMEOUT" },
  { signal: "DISPATCH", state: "GOOD", beatAt: day("14:06"), silentSeconds: 4 },
  { signal: "REMINDERS", state: "UNREAD", beatAt: null, silentSeconds: null },
  { signal: "CIRCUIT", state: "UNREAD", openFor: 0, answeredAt: null },
  { signal: "RETENTION", state: "UNREAD" },
];
const evidence: NotificationEvidence = {
  kind: "notification",
  row: slow,
  scope: { tenantGroupRef: "TG-014000", clinicRef: "CL-203000", clinicName: "Harbour", zone },
  signals,
  appointments: { changes: 14, sentLate: 3, sentTwice: 0 },
  questions: answered,
  asOf: new Date(at).toISOString(),
};
const count = { count: 3, lastHour: 1, bars: [] };
const counts: PlanningCounts = {
  applied: count,
  stale: { ...count, in24h: 4 },
  degraded: { ...count, since: null },
  needsDecision: 4,
  waiting: 3,
  daysMax: 62,
  asOf: evidence.asOf,
};
const rows: OfferedPlanningRow[] = [slow, ...runs];
const list = {
  rows,
  clock: { nowMs: at, manyZones: false },
  ends: noEnds,
  onOpen: nothing,
};

/** The queue of calculations with a row in each state, the same as cards, and the signals of messages that are slow. */
export function PlanningStates() {
  const headOf = useGroupHead(counts, false);
  return (
    <>
      <Part name="PlanningTable">
        <PlanningTable {...list} headOf={headOf} openId={runs[0]?.id ?? null} focusId={null} onFocusRow={nothing} />
      </Part>
      <Part name="NotificationBody">
        <div className="border border-line" style={{ width: 400 }}>
          <NotificationBody evidence={evidence} />
        </div>
      </Part>
      {/* drawn below 768 px, in place of the table */}
      <Part name="PlanningCards">
        <PlanningCards {...list} headOf={headOf} />
      </Part>
    </>
  );
}
