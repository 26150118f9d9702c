// The same planted person, whose visits lose their place: through facts with words in them, plans that are calculated, watched, refused, applied and looked
// at. STAFF see references only. The desk's own answers about plans and facts hold no name either: what a fact says of visits it says by reference, and the
// words of a fact come back in the desk's own list of facts alone. Names are shown to the desk by its day, its search and its patients, as ever.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { systemClock } from "@/server/clock";
import { applyAgainOnce } from "@/server/domain/planning/apply-again-once";
import { calculateOnce } from "@/server/domain/planning/calculate-once";
import { solve } from "@/server/domain/planning/solver/solve";
import * as facts from "@/server/http/operations/facts";
import { aTuesday, at, insertToken, newKey, setWebEnvironment } from "@/server/http/operations/testing";
import { logicalConsumers } from "./logical-consumers";
import { countApplyAgain, countSolve, gatherGauges } from "./metrics";
import { World } from "./model/testing/world";
import {
  callerOf,
  found,
  foundIn,
  foundInLog,
  foundInMetrics,
  foundInTable,
  foundInTables,
  note,
  planted,
  refusalOf,
} from "./testing/planted";

const captured = vi.hoisted(() => ({ lines: [] as string[] }));
vi.mock("@/server/logger", async () => {
  const { default: pino } = await import("pino");
  return { logger: pino({ level: "trace" }, { write: (line: string) => void captured.lines.push(line) }) }; // without the redaction that the product adds
});

type Caller = Awaited<ReturnType<typeof callerOf>>;
let world: World;
let desk: Caller;
let staff: Caller;
let clinicId: string;
let token: string;
/** Of the desk and of the API, about facts and plans. */
const answered: unknown[] = [];
const runs: string[] = [];
const day = aTuesday.toString();
const words = `${planted.name}: ${note}`;

beforeAll(async () => {
  world = await World.open();
  setWebEnvironment(world.db.urls.web);
  const { ber, tenantGroupId } = world.fixture.t1;
  clinicId = ber.id;
  token = await insertToken(world.db.migrator, tenantGroupId, [clinicId]);
  [desk, staff] = [await callerOf(world, "FRONT_DESK"), await callerOf(world, "STAFF")];
  await liveThrough();
});
afterAll(() => world.db.close());

const doctor = (n = 0) => world.fixture.t1.ber.doctors[n]?.id as string;
const keyed = () => ({ clinicId, key: newKey() });
const absence = (from: string, until: string, reason = words) => ({
  kind: "absence" as const,
  input: { doctorId: doctor(), from: `${day}T${from}`, until: `${day}T${until}`, reason },
});

async function calculated(): Promise<string> {
  const asked = await desk.planning.request({ ...keyed(), change: { fromDate: day, untilDate: day } });
  expect(asked.status).toBe(201);
  const runId = asked.body.id as string;
  answered.push(asked, await desk.planning.watch({ clinicId, runId }));
  return settled(runId);
}

async function settled(runId: string): Promise<string> {
  const deps = {
    db: world.db.worker,
    worker: "solver-1",
    clock: systemClock,
    solve: async (...asked: Parameters<typeof solve>) => solve(...asked),
  };
  const { state, solveMs } = await calculateOnce(deps, { signal: new AbortController().signal });
  expect(state).toBe("CALCULATED");
  countSolve(state as string, solveMs);
  answered.push(await desk.planning.watch({ clinicId, runId }), await staff.planning.freshness({ clinicId, runId }));
  runs.push(runId);
  return runId;
}

/** What the API does with a fact, right and wrong. */
async function overApi(
  handler: unknown,
  method: "POST" | "PUT" | "GET",
  body: unknown,
  params: Record<string, string> = {},
): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": newKey(), "if-match": '"1"' };
  const request = new Request("http://localhost/api/v1/x", {
    method,
    headers,
    ...(method === "GET" ? {} : { body: JSON.stringify(body) }),
  });
  const route = handler as (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;
  return (await route(request, { params: Promise.resolve({ clinicId, ...params }) })).text();
}

async function liveThrough(): Promise<void> {
  const { ber } = world.fixture.t1;
  const added = await desk.desk.addPatient({ ...keyed(), patient: { ...planted, language: "en", acknowledged: [] } });
  const book = (clock: string) =>
    desk.desk.book({
      ...keyed(),
      visit: {
        patient: { id: added.body.id as string },
        treatmentId: ber.treatments.VISIT15,
        doctorId: doctor(),
        startsAt: at("Europe/Berlin", clock),
        note,
      },
    });
  const visits = [await book("09:00"), await book("09:30"), await book("09:45"), await book("14:00")];
  expect(visits.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  const onVisit = (n: number) => ({ ...keyed(), appointmentId: visits[n]?.body.id as string, version: "1" });

  // facts, with the person in their words
  const morning = absence("09:00", "10:00");
  answered.push(await desk.facts.preview({ clinicId, fact: morning }));
  const away = await desk.facts.add({ ...keyed(), fact: morning });
  expect(away.body.affected).toMatchObject({ count: 3, visits: Array(3).fill({ patientRef: added.body.ref }) });
  const { id: factId } = away.body as { id: string };
  answered.push(away, await desk.facts.change({ ...keyed(), factId, version: "1", fact: absence("09:00", "10:15") }));
  const pause = { kind: "break" as const, input: { doctorId: doctor(1), weekday: 2, from: "16:00", until: "16:15", label: planted.name } };
  const outage = { kind: "outage" as const, input: { equipmentId: ber.ultrasound.id, from: day, until: day, reason: words } };
  const closure = { kind: "closure" as const, input: { from: `${day}T16:30`, until: `${day}T17:00`, reason: words } };
  for (const fact of [pause, outage, closure]) answered.push(await desk.facts.add({ ...keyed(), fact }));
  const evening = JSON.parse(await overApi(facts.postAbsence, "POST", absence("16:45", "17:00").input)) as { id: string };
  answered.push(evening, await overApi(facts.getAbsence, "GET", undefined, { absenceId: evening.id, factId: evening.id }));
  answered.push(await overApi(facts.postAbsencePreview, "POST", morning.input));
  for (const wrong of [
    { ...morning.input, name: planted.name },
    { ...morning.input, [planted.name]: 1 },
    { ...morning.input, doctorId: planted.email },
    { ...morning.input, from: planted.birthDate },
    { ...morning.input, from: "2020-01-01", until: "2020-01-02" },
    { ...morning.input, reason: `${words}\ud800` },
  ]) {
    answered.push(
      await overApi(facts.postAbsence, "POST", wrong),
      await overApi(facts.putAbsence, "PUT", wrong, { absenceId: factId, factId }),
    );
    answered.push(await desk.facts.add({ ...keyed(), fact: { kind: "absence", input: wrong as never } }).catch(refusalOf));
  }

  // a plan that is refused because a visit was moved by hand, a part of it, a new one, and one that is applied
  const stale = await calculated();
  await desk.desk.reschedule({ ...onVisit(0), change: { startsAt: at("Europe/Berlin", "11:00"), note } });
  expect((await staff.planning.applyPlan({ ...keyed(), runId: stale })).body.outcome).toBe("STALE_REJECTED");
  const again = await staff.planning.recalculate({ ...keyed(), runId: stale });
  expect(again.status).toBe(201);
  const fresh = await settled(again.body.id as string);
  const [move] = (await staff.planningViews.moves({ id: `run.${fresh}` }))?.moves ?? [];
  const part = await staff.planning.applyPart({ ...keyed(), runId: fresh, change: { appointmentIds: [move?.appointmentId as string] } });
  await settled(part.body.id as string);
  const applied = await staff.planning.applyPlan({ ...keyed(), runId: part.body.id as string });
  expect(applied.body).toMatchObject({ outcome: "APPLIED", written: 1 });
  await desk.facts.add({ ...keyed(), fact: absence("13:00", "15:00") });
  const left = await calculated();
  answered.push(again, part, applied, await staff.planning.discard({ ...keyed(), runId: left }));
  const asked = await desk.planning.request({ ...keyed(), change: { fromDate: day, untilDate: day } });
  answered.push(
    await desk.planning.cancel({ ...keyed(), runId: asked.body.id as string }),
    await desk.facts.end({ ...keyed(), factId, version: "2", kind: "absence" }),
  );
  for (const wrong of [planted.name, planted.email, planted.phone])
    answered.push(
      await desk.planning.request({ ...keyed(), change: { fromDate: wrong, untilDate: wrong } }).catch(refusalOf),
      await staff.planning.applyPlan({ ...keyed(), runId: wrong }).catch(refusalOf),
      await staff.planning.applyPart({ ...keyed(), runId: left, change: { appointmentIds: [wrong] } }).catch(refusalOf),
    );

  countApplyAgain((await applyAgainOnce(world.db.worker, "solver-1")).outcome ?? "none");
  await world.drain();
  await gatherGauges(world.db.worker, world.log, logicalConsumers, []);
}

describe("of a planted person whose visits are planned anew", () => {
  it("the search finds what is there: names on the desk's own day, words in its own list of facts, and both in their tables", async () => {
    expect(foundIn([await desk.desk.day({ clinicId, date: day })])).toContain("Plantedname");
    expect(foundIn([await desk.facts.list({ clinicId, fromDate: day })])).toEqual(expect.arrayContaining(["Plantedname", "Plantednote"]));
    for (const table of ["absences", "closures", "resource_outages", "breaks"])
      expect(await foundInTable(world, table)).toContain("Plantedname");
  });

  it("nothing is in what the desk and the API are answered about facts, affected visits and plans", () => {
    expect(answered.length).toBeGreaterThan(40);
    expect(foundIn(answered)).toEqual([]);
  });

  it("nothing is in what STAFF see of plans: queue, tiles, panel, before and after, messages, stories, their exports, and the audit", async () => {
    const queue = await staff.planningViews.queue({ filter: {} });
    const answers: unknown[] = [
      queue,
      await staff.planningViews.head({ filter: {} }),
      await staff.planningViews.counts({}),
      await staff.planningViews.needsDecision({}),
      await staff.workers.health({}),
      await staff.delivery.queue({ filter: {} }),
    ];
    expect(queue.rows.length).toBeGreaterThan(2);
    for (const { id } of queue.rows) answers.push(await staff.planningViews.evidence({ id }));
    for (const runId of runs)
      answers.push(
        await staff.planningViews.evidence({ id: `run.${runId}` }),
        await staff.planningViews.moves({ id: `run.${runId}` }),
        await staff.planning.watch({ clinicId, runId }),
      );
    for (const search of [planted.name, planted.phone, planted.email, note]) {
      answers.push((await staff.planningViews.queue({ filter: { search } })).rows, await staff.stories.find({ text: search }));
      answers.push((await staff.audit.list({ filter: { search } })).rows);
    }
    // commands of plans that moved nothing are no story of the list, and are found by their id
    const commands = await world.db.superuser.$client<{ commandId: string; operation: string }[]>`
      select command_id as "commandId", operation from command_calls where clinic_id = ${clinicId} and outcome = 'FIRST'`;
    const kinds = commands.map(({ operation }) => operation);
    expect(kinds).toEqual(expect.arrayContaining(["addAbsence", "planning.request", "planning.recalculate", "planning.apply"]));
    answers.push(await staff.stories.list({}));
    for (const { commandId } of commands)
      answers.push(
        await staff.stories.head({ commandId }),
        await staff.stories.records({ commandId }),
        await staff.stories.export({ commandId }),
      );
    const { rows } = await staff.audit.list({ filter: {} });
    for (const { id } of rows) answers.push(await staff.audit.entry({ id }));
    for (const format of ["csv", "json"] as const) answers.push(await staff.audit.export({ filter: {}, format }));
    expect(answers.every((answer) => answer !== null)).toBe(true);
    expect(foundIn(answers)).toEqual([]);
  });

  it("nothing is in any other table or column, in a record of the log, in a line that was logged, or in a metric", async () => {
    const { places, rows } = await foundInTables(world);
    expect(places).toEqual([]);
    expect(rows).toBeGreaterThan(200);
    for (const topic of ["appointment.v1", "clinic-fact.v1"]) {
      const { words: inLog, records } = await foundInLog(world.log, topic);
      expect(records).toBeGreaterThan(4);
      expect(inLog).toEqual([]);
    }
    expect(captured.lines.length).toBeGreaterThan(5);
    expect(captured.lines.flatMap(found)).toEqual([]);
    expect(await foundInMetrics()).toEqual([]);
  });
});
