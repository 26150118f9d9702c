import { parseArgs } from "node:util";
import { withRead } from "@/db/client";
import { answerLines, asPerson, type Flags, needed } from "@/scripts/lib/person-command";
import { AppError } from "@/server/app-error";
import { limitsVersion, readReplayLimits, replayLimitsInput, setReplayLimits } from "@/server/domain/clinics/replay-limits";
import type { CommandDeps } from "@/server/domain/idempotency/types";
import { approveReplay, approveReplaySecond } from "@/server/domain/replay/approve-replay";
import { controlReplay } from "@/server/domain/replay/control-replay";
import { previewReplay, type ReplayPreview } from "@/server/domain/replay/preview-replay";
import { listReplayItems, listReplayJobs, type ReplayItemView, type ReplayJob, readReplayJob } from "@/server/domain/replay/read-jobs";
import type { ReplayRequest } from "@/server/domain/replay/read-request";
import {
  manifestDigest,
  type ReplayDeps,
  replayBounds,
  replayLimits,
  replayReason,
  replayRequestId,
  replaySelection,
} from "@/server/domain/replay/types";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { newUuid } from "@/server/ids";

export const replayUsage = `npm run ops -- replay preview --as <address> --clinic CL-… --consumer <id> (--row <id> --row-version <n> | --reason-code <code> | --ranges 3:100-200,5:7-7) [--max-records <n>] [--request <uuid>]
npm run ops -- replay approve --as <address> --clinic CL-… --request <uuid> --digest <hex> --reason "…" [--canary 10] [--rate 20] [--seconds 180] [--stop-share 20]
npm run ops -- replay approve-second --as <address> --clinic CL-… --request <uuid> --digest <hex>
npm run ops -- replay pause|resume|cancel --as <address> --clinic CL-… --request <uuid>
npm run ops -- replay limits --as <address> --clinic CL-… [--records <n> --age-hours <n> --version <records>.<hours> [--key <uuid>]]   (ADMIN: above them a second person must approve)
npm run ops -- replay jobs|show --as <address> --clinic CL-… [--job RJ-…]
The person's password is read from OPS_PASSWORD; the rest of the configuration is the web process's.`;

const names = [
  "as",
  "clinic",
  "consumer",
  "row",
  "row-version",
  "reason-code",
  "ranges",
  "max-records",
  "request",
  "digest",
  "reason",
  "canary",
];
const more = ["rate", "seconds", "stop-share", "job", "records", "age-hours", "version", "key"];
export type OpsDeps = ReplayDeps & { commands: CommandDeps };
type Call = { deps: OpsDeps; person: SignedInPerson; clinicId: string; flags: Flags };

const acts: Record<string, (call: Call) => Promise<string[]>> = {
  preview: async ({ deps, person, clinicId, flags }) => {
    const requestId = replayRequestId.parse(flags.request ?? newUuid());
    const preview = await previewReplay(deps, person, { clinicId, requestId, selection: selectionOf(flags) });
    return [`request ${requestId}`, ...previewLines(preview)];
  },
  approve: async ({ deps, person, clinicId, flags }) => {
    const number = (name: string, usual: number) => (flags[name] === undefined ? usual : Number(flags[name]));
    const bounds = replayBounds.parse({
      canarySize: number("canary", 10),
      ratePerSecond: number("rate", 20),
      maxSeconds: number("seconds", 180),
      stopSharePercent: number("stop-share", 20),
    });
    const input = { ...boundOf(flags), clinicId, bounds, reason: replayReason.parse(needed(flags, "reason", replayUsage)) };
    return standing(await approveReplay(deps, person, input));
  },
  "approve-second": async ({ deps, person, clinicId, flags }) =>
    standing(await approveReplaySecond(deps, person, { ...boundOf(flags), clinicId })),
  pause: (call) => control(call, "PAUSE"),
  resume: (call) => control(call, "RESUME"),
  cancel: (call) => control(call, "CANCEL"),
  limits,
  jobs: async ({ deps, person, clinicId }) => {
    const scope = { tenantGroupId: person.tenantGroupId, clinicIds: [clinicId] };
    const jobs = await withRead(deps.db, person, (tx) => listReplayJobs(tx, scope, 20));
    return jobs.length === 0 ? ["none"] : jobs.map((job) => `${job.jobRef} ${job.state} ${job.settled} of ${job.records} ${job.consumer}`);
  },
  show: async ({ deps, person, clinicId, flags }) => {
    const scope = { tenantGroupId: person.tenantGroupId, clinicIds: [clinicId] };
    return withRead(deps.db, person, async (tx) => {
      const job = await readReplayJob(tx, scope, needed(flags, "job", replayUsage));
      if (!job) throw new AppError("not-found");
      return [...receiptLines(job), ...duplicateLines(await listReplayItems(tx, job.requestId, 0, replayLimits.recordsMax))];
    });
  },
};

/**
 * `npm run ops -- replay …`: the same functions as the pages call, as a person who proves to be one and holds the role. Answers the lines to print; throws
 * what is said to the person, refusals with their number.
 */
export async function replayCommand(argv: string[], deps: OpsDeps, password: string | undefined): Promise<string[]> {
  const options = Object.fromEntries([...names, ...more].map((name) => [name, { type: "string" as const }]));
  const { positionals, values } = parseArgs({ args: argv, allowPositionals: true, options });
  const act = acts[positionals.join(" ")];
  if (!act) throw new Error(replayUsage);
  const flags = values as Flags;
  return asPerson(deps.db, flags, replayUsage, password, (person, clinicId) => act({ deps, person, clinicId, flags }));
}

/** Shows the limits, or sets both when one is named. */
async function limits({ deps, person, clinicId, flags }: Call): Promise<string[]> {
  const now = await readReplayLimits(deps.db, person, clinicId);
  if (flags.records === undefined && flags["age-hours"] === undefined)
    return [`records ${now.records}`, `age-hours ${now.ageHours}`, `version ${limitsVersion(now)}`];
  const asked = { records: Number(needed(flags, "records", replayUsage)), ageHours: Number(needed(flags, "age-hours", replayUsage)) };
  const call = {
    actor: person,
    clinicId,
    key: flags.key ?? newUuid(),
    requestId: newUuid(),
    method: "COMMAND-LINE",
    body: asked,
    expectedVersion: needed(flags, "version", replayUsage),
  };
  return answerLines(await setReplayLimits(deps.commands, call, replayLimitsInput.parse(asked)));
}

function selectionOf(flags: Flags) {
  const consumer = needed(flags, "consumer", replayUsage);
  const recordsMax = Number(flags["max-records"] ?? replayLimits.recordsMax);
  if (flags.row)
    return replaySelection.parse({ kind: "row", consumer, inboxId: flags.row, rowVersion: needed(flags, "row-version", replayUsage) });
  if (flags.ranges) return replaySelection.parse({ kind: "range", consumer, recordsMax, ranges: flags.ranges.split(",").map(rangeOf) });
  return replaySelection.parse({ kind: "group", consumer, recordsMax, reasonCode: needed(flags, "reason-code", replayUsage) });
}

function rangeOf(text: string) {
  const [, partition, first, last] = /^(\d+):(\d+)-(\d+)$/.exec(text.trim()) ?? [];
  if (!partition) throw new Error(`${text} is no range: partition:first-last`);
  return { partition: Number(partition), first, last };
}

const boundOf = (flags: Flags) => ({
  requestId: replayRequestId.parse(needed(flags, "request", replayUsage)),
  digest: manifestDigest.parse(needed(flags, "digest", replayUsage)),
});

async function control({ deps, person, clinicId, flags }: Call, act: "PAUSE" | "RESUME" | "CANCEL"): Promise<string[]> {
  return standing(
    await controlReplay(deps, person, { clinicId, requestId: replayRequestId.parse(needed(flags, "request", replayUsage)), act }),
  );
}

function previewLines({ request, checks, refusal, openRequest, heldElsewhere }: ReplayPreview): string[] {
  return [
    ...(request
      ? [
          `manifest ${request.ref}, digest ${request.manifestDigest}, until ${request.previewExpiresAt}`,
          `records ${request.records} of ${request.matching}, ${request.offsetsSpanned} offsets, log ${request.logId}`,
          `second person ${request.needsSecond ? "needed" : "not needed"}`,
        ]
      : ["the request id belongs to something else"]),
    ...checks.map(({ name, result, requested, recorded, why }) =>
      [`${result.padEnd(14)} ${name}`, requested && `asked: ${requested}`, recorded && `recorded: ${recorded}`, why]
        .filter(Boolean)
        .join(" | "),
    ),
    ...(heldElsewhere > 0 ? [`${heldElsewhere} records are in another open replay`] : []),
    ...(openRequest ? [`open already: ${openRequest.jobRef} ${openRequest.state}, request ${openRequest.requestId}`] : []),
    ...(refusal ? [`recorded as refusal ${refusal}`] : []),
  ];
}

const standing = ({ request, repeated }: { request: ReplayRequest; repeated: boolean }): string[] => [
  `${request.jobRef} ${request.state}${repeated ? " (nothing changed: it was so before)" : ""}`,
];

/** Of each DUPLICATE the delivery that had the effect before. */
const duplicateLines = (items: readonly ReplayItemView[]): string[] =>
  items
    .filter(({ outcome }) => outcome === "DUPLICATE")
    .map(({ eventId, earlierAt, earlierAttempt }) =>
      earlierAt
        ? `duplicate    ${eventId}: done at ${earlierAt}, attempt ${earlierAttempt ?? "–"}`
        : `duplicate    ${eventId}: done before`,
    );

function receiptLines(job: ReplayJob): string[] {
  const counts = Object.entries(job.counts).map(([outcome, count]) => `${outcome.padEnd(12)} ${count}`);
  return [
    `${job.jobRef} ${job.state}${job.endedReason ? ` (${job.endedReason})` : ""}, request ${job.requestId}`,
    `requested    ${job.records}`,
    ...counts,
    `sum          ${Object.values(job.counts).reduce((sum, count) => sum + count, 0)}`,
    `handler runs ${job.handlerRuns}, effects ${job.effects}`,
    ...job.missing.map(({ partition, first, last }) => `missing      partition ${partition}, offsets ${first} to ${last}`),
    ...job.offsets.map(
      ({ partition, before, after }) =>
        `group        partition ${partition}: ${before ?? "none"} ${before === after ? "=" : "≠"} ${after ?? "none"}`,
    ),
  ];
}
