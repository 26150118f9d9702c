import { parseArgs } from "node:util";
import { withRead } from "@/db/client";
import { asPerson, type Flags, needed } from "@/scripts/lib/person-command";
import { AppError } from "@/server/app-error";
import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { applyPlan } from "@/server/domain/planning/apply-plan";
import { checkFreshnessAdvisory } from "@/server/domain/planning/check-freshness-advisory";
import { cancelRun, discardRun, recalculateRun, requestPart } from "@/server/domain/planning/decide-run";
import { findRun } from "@/server/domain/planning/read-run";
import { requestRun } from "@/server/domain/planning/request-run";
import { type PlanningCall, planPart, planRequest } from "@/server/domain/planning/types";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { newUuid } from "@/server/ids";

export const planningUsage = `npm run ops -- planning request --as <address> --clinic CL-… --from <date> --until <date> [--visits <id>,<id>] [--key <uuid>]
npm run ops -- planning show|apply|discard|recalculate|cancel --as <address> --clinic CL-… --run SOL-… [--key <uuid>]
npm run ops -- planning part --as <address> --clinic CL-… --run SOL-… --visits <id>,<id> [--key <uuid>]`;

const names = ["as", "clinic", "from", "until", "visits", "run", "key"];
type Call = { deps: CommandDeps; person: SignedInPerson; clinicId: string; flags: Flags };

const acts: Record<string, (call: Call) => Promise<string[]>> = {
  request: async (call) => {
    const { flags } = call;
    const request = planRequest.parse({
      fromDate: needed(flags, "from", planningUsage),
      untilDate: needed(flags, "until", planningUsage),
      chosenIds: visitsOf(flags),
    });
    return answered(await requestRun(call.deps, keyed(call, request), request, "COMMAND_LINE"));
  },
  show: async (call) => {
    const { deps, person, clinicId } = call;
    const run = await runOf(call);
    const seen = await checkFreshnessAdvisory(deps.db, person, clinicId, run.id);
    return [
      `${run.ref} ${run.state}, ${run.fromDate} to ${run.untilDate}, ${run.moves ?? "no"} moves`,
      `calculated ${seen.calculated?.version ?? "not yet"}`,
      `current    ${seen.current.version}`,
      `sources    ${seen.sources}, behind ${seen.sourcesBehind}`,
      ...seen.behind.map(({ ref, kind, from, to }) => `behind     ${ref} ${kind.toLowerCase()} ${from} -> ${to ?? "gone"}`),
      "A look, not a permission: what an apply may do is decided when it is done.",
    ];
  },
  apply: async (call) => answered(await applyPlan(call.deps, keyed(call), (await runOf(call)).id)),
  discard: async (call) => answered(await discardRun(call.deps, keyed(call), (await runOf(call)).id)),
  cancel: async (call) => answered(await cancelRun(call.deps, keyed(call), (await runOf(call)).id)),
  recalculate: async (call) => answered(await recalculateRun(call.deps, keyed(call), (await runOf(call)).id, "COMMAND_LINE")),
  part: async (call) => {
    const part = planPart.parse({ appointmentIds: visitsOf(call.flags) });
    return answered(await requestPart(call.deps, keyed(call, part), (await runOf(call)).id, part, "COMMAND_LINE"));
  },
};

/**
 * `npm run ops -- planning …`: the same commands as the pages send, as a person who proves to be one and holds the role; an apply passes the same fence.
 * Answers the lines to print; throws what is said to the person.
 */
export async function planningCommand(argv: string[], deps: CommandDeps, password: string | undefined): Promise<string[]> {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  const { positionals, values } = parseArgs({ args: argv, allowPositionals: true, options });
  const act = acts[positionals.join(" ")];
  if (!act) throw new Error(planningUsage);
  const flags = values as Flags;
  return asPerson(deps.db, flags, planningUsage, password, (person, clinicId) => act({ deps, person, clinicId, flags }));
}

async function runOf({ deps, person, clinicId, flags }: Call) {
  const run = await withRead(deps.db, person, (tx) => findRun(tx, clinicId, needed(flags, "run", planningUsage)));
  if (!run) throw new AppError("not-found");
  return run;
}

const keyed = ({ person, clinicId, flags }: Call, body: unknown = {}): PlanningCall => ({
  actor: person,
  clinicId,
  key: flags.key ?? newUuid(),
  requestId: newUuid(),
  method: "COMMAND_LINE",
  body,
});

const visitsOf = (flags: Flags): string[] => (flags.visits ?? "").split(",").filter(Boolean);

/** A stored refusal is thrown, in words; everything else is printed as it was answered. */
function answered({ status, body, replayed }: CommandAnswer): string[] {
  const answer = JSON.parse(body) as Record<string, unknown>;
  if (status >= 400) throw new Error([answer.title, ...facts(answer), answer.whatToDo].join("\n"));
  return [...facts(answer), ...(replayed ? ["(the stored answer of an earlier call)"] : [])];
}

const facts = (answer: Record<string, unknown>): string[] =>
  Object.entries(answer)
    .filter(([name, value]) => !["title", "whatToDo", "type", "retryable", "factGroups", "stepMs"].includes(name) && value !== null)
    .map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`);
