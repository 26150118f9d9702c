// Checks and jobs of replays on the /design page.
import type { Job } from "@/app/(staff)/operations/delivery/_components/replay/use-replay";
import type { Check } from "@/server/domain/replay/checks";
import type { ReplayCounts } from "@/server/domain/replay/types";
import { day, zone } from "./samples";

const check = (name: Check["name"], result: Check["result"], why: Check["why"] = null): Check => ({
  name,
  result,
  requested: {
    SCOPE: "CL-203000",
    REQUEST_BOUND: "9f2c41d8…b07e",
    ORIGINAL_CONSUMER: "daily-load-v1",
    STATE: "12",
    OUTCOME_RECORDED: "inbox",
  }[name],
  recorded:
    result === "DOES_NOT_APPLY" || result === "UNKNOWN"
      ? ""
      : name === "ORIGINAL_CONSUMER" && result === "FAIL"
        ? "reminder-planner-v1"
        : "=",
  why,
});
export const allPass: Check[] = [
  check("SCOPE", "PASS"),
  check("REQUEST_BOUND", "PASS"),
  check("ORIGINAL_CONSUMER", "PASS"),
  check("STATE", "PASS"),
  check("OUTCOME_RECORDED", "PASS"),
];
export const eachResult: Check[] = [
  check("SCOPE", "PASS"),
  check("REQUEST_BOUND", "UNKNOWN", "AUDIT_NOT_READ"),
  check("ORIGINAL_CONSUMER", "FAIL", "OTHER_CONSUMER"),
  check("STATE", "FAIL", "BEING_PROCESSED"),
  check("OUTCOME_RECORDED", "DOES_NOT_APPLY"),
];

const none: ReplayCounts = { PROCESSED: 0, DUPLICATE: 0, RETRYABLE: 0, QUARANTINED: 0, SKIPPED: 0, NOT_REACHED: 0 };
const offsets = (moved: boolean) => [
  { partition: 3, before: "184211", after: "184211" },
  { partition: 7, before: "90017", after: moved ? "90021" : "90017" },
];
const job = (n: number, state: Job["state"], more: Partial<Job>): Job => ({
  requestId: `019c1f00-0000-7000-8000-0000000000d${n}`,
  clinicId: "c",
  clinicRef: "CL-203000",
  zone,
  ref: `MF-00880${n}`,
  jobRef: `RJ-00890${n}`,
  requestedByRef: "ST-000417",
  consumer: "daily-load-v1",
  logId: "pg-1",
  topic: "appointment.v1",
  selection: { kind: "group", consumer: "daily-load-v1", reasonCode: "ATTEMPTS_EXHAUSTED", recordsMax: 38 },
  ranges: [3, 7].map((partition) => ({ partition, first: "90000", last: "90040", logEnd: "90100", records: 19 })),
  records: 38,
  matching: 38,
  offsetsSpanned: "82",
  waitingBehind: 2,
  oldestAt: day("11:00"),
  manifestDigest: "9f2c41d8a1b7b07e",
  digestKeyId: "k1",
  needsSecond: false,
  previewedAt: day("13:50"),
  previewExpiresAt: day("14:05"),
  isPreviewOver: false,
  bounds: { canarySize: 5, ratePerSecond: 2, maxSeconds: 60, stopSharePercent: 20 },
  reason: "Release 12 reads the new field.",
  approverRef: "ST-000417",
  approvedAt: day("13:55"),
  secondApproverRef: null,
  secondApprovedAt: null,
  approvalExpiresAt: null,
  isApprovalOver: false,
  approvalUsedAt: day("13:55"),
  state,
  wanted: "RUN",
  wantedByRef: null,
  fence: "1",
  leaseOwner: null,
  leaseUntil: null,
  startedAt: day("13:56"),
  lookedAt: null,
  activeMs: 21_000,
  endedAt: null,
  endedReason: null,
  missing: [],
  receipt: null,
  counts: none,
  settled: 0,
  handlerRuns: 0,
  effects: 0,
  offsets: [],
  offsetsEqual: 0,
  asOf: day("13:57"),
  ...more,
});

export const jobs: Job[] = [
  job(1, "RUNNING", {
    counts: { ...none, PROCESSED: 12, DUPLICATE: 2, RETRYABLE: 1 },
    settled: 15,
    leaseOwner: "replay-1:7",
    leaseUntil: day("13:58"),
    lookedAt: day("13:57"),
  }),
  job(2, "PAUSED", { counts: { ...none, PROCESSED: 5 }, settled: 5, wanted: "PAUSE", wantedByRef: "ST-000031" }),
  job(3, "QUEUED", { startedAt: null }),
  job(4, "COMPLETED", {
    counts: { ...none, PROCESSED: 36, DUPLICATE: 2 },
    settled: 38,
    handlerRuns: 36,
    effects: 36,
    endedAt: day("14:00"),
    offsets: offsets(false),
    offsetsEqual: 2,
  }),
  job(5, "INCOMPLETE", {
    counts: { PROCESSED: 20, DUPLICATE: 1, RETRYABLE: 3, QUARANTINED: 2, SKIPPED: 4, NOT_REACHED: 8 },
    settled: 30,
    handlerRuns: 25,
    effects: 20,
    endedAt: day("14:02"),
    endedReason: "CANCELLED",
    wantedByRef: "ST-000031",
    secondApproverRef: "ST-000031",
    secondApprovedAt: day("13:55"),
    offsets: offsets(true),
    offsetsEqual: 1,
    missing: [{ partition: 7, first: "90010", last: "90012" }],
  }),
];
