import { parseArgs } from "node:util";
import { withRead } from "@/db/client";
import { answerLines, asPerson, type Flags, needed } from "@/scripts/lib/person-command";
import { addNote } from "@/server/domain/deliveries/add-note";
import { assignTask } from "@/server/domain/deliveries/assign-task";
import { handOverTask } from "@/server/domain/deliveries/hand-over-task";
import { keepQuarantined } from "@/server/domain/deliveries/keep-quarantined";
import { readSeenRow } from "@/server/domain/deliveries/read-seen-row";
import { releaseSequence } from "@/server/domain/deliveries/release-sequence";
import { retryPublish } from "@/server/domain/deliveries/retry-publish";
import { scheduleRetry } from "@/server/domain/deliveries/schedule-retry";
import { skipPublish } from "@/server/domain/deliveries/skip-publish";
import { type ActCall, handOver, scheduleRetry as scheduleRetryInput, seenRow, words } from "@/server/domain/deliveries/types";
import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { reasonGroups } from "@/server/domain/operations/reason-groups";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { newUuid } from "@/server/ids";

export const deliveryUsage = `npm run ops -- delivery groups --as <address> --clinic CL-…
npm run ops -- delivery show --as <address> --clinic CL-… --row inbox.<id>|outbox.<id>
npm run ops -- delivery assign|keep|retry|note|hand-over|release|publish-again|skip --as <address> --clinic CL-… --row … --version <row>.<task> [--reason "…"] [--to ST-…] [--at <instant>] [--key <uuid>]
npm run ops -- delivery recount [--repair yes]   (on MIGRATOR_DATABASE_URL: whether the counters say what the rows say)`;

const names = ["as", "clinic", "row", "version", "reason", "to", "at", "key"];
type Act = (deps: CommandDeps, call: ActCall, flags: Flags) => Promise<CommandAnswer>;

const withReason =
  (act: (deps: CommandDeps, call: ActCall, reason: string) => Promise<CommandAnswer>): Act =>
  (deps, call, flags) =>
    act(deps, call, words.parse(flags.reason));

const acts: Record<string, Act> = {
  assign: (deps, call) => assignTask(deps, call),
  keep: withReason(keepQuarantined),
  note: withReason(addNote),
  release: withReason(releaseSequence),
  "publish-again": withReason(retryPublish),
  skip: withReason(skipPublish),
  retry: (deps, call, flags) => scheduleRetry(deps, call, scheduleRetryInput.parse({ at: flags.at })),
  "hand-over": (deps, call, flags) => handOverTask(deps, call, handOver.parse({ to: flags.to, note: flags.reason })),
};

/**
 * `npm run ops -- delivery …`: the same commands as the pages send, as a person who proves to be one and holds the role, on the versions that `show` has
 * printed. Answers the lines to print; throws what is said to the person.
 */
export async function deliveryCommand(argv: string[], deps: CommandDeps, password: string | undefined): Promise<string[]> {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  const { positionals, values } = parseArgs({ args: argv, allowPositionals: true, options });
  const [name = ""] = positionals;
  const flags = values as Flags;
  if (positionals.length !== 1 || !(name in acts || name === "groups" || name === "show")) throw new Error(deliveryUsage);
  return asPerson(deps.db, flags, deliveryUsage, password, async (person, clinicId) => {
    if (name === "groups") return groupLines(deps, person, clinicId);
    if (name === "show") return rowLines(deps, person, needed(flags, "row", deliveryUsage));
    return answerLines(await (acts[name] as Act)(deps, callOf(person, clinicId, name, flags), flags));
  });
}

async function groupLines({ db }: CommandDeps, person: SignedInPerson, clinicId: string): Promise<string[]> {
  const scope = { tenantGroupId: person.tenantGroupId, clinicIds: [clinicId] };
  const { groups, total } = await withRead(db, person, (tx) => reasonGroups(tx, scope, null, 200));
  return [
    ...groups.map((group) => `${group.open} ${group.reasonCode} ${group.consumer}`),
    `${groups.length} of ${total.groups} reasons, ${total.rows} records`,
  ];
}

async function rowLines({ db }: CommandDeps, person: SignedInPerson, id: string): Promise<string[]> {
  const row = await readSeenRow(db, person, id);
  return [`row ${row.id}`, `version ${row.version}.${row.taskVersion}`, `state ${row.state}`];
}

function callOf(person: SignedInPerson, clinicId: string, name: string, flags: Flags): ActCall {
  const [version, taskVersion] = needed(flags, "version", deliveryUsage).split(".");
  const row = seenRow.parse({ id: needed(flags, "row", deliveryUsage), version, taskVersion });
  const { reason, to, at } = flags;
  return {
    actor: person,
    clinicId,
    key: flags.key ?? newUuid(),
    requestId: newUuid(),
    method: "COMMAND-LINE",
    row,
    body: { name, reason, to, at },
  };
}
