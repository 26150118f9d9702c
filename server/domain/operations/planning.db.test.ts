import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withRead } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { addDays } from "@/server/domain/clinics/local-time";
import { discardRun, recalculateRun } from "@/server/domain/planning/decide-run";
import { PlanningWorld } from "@/server/domain/planning/testing";
import { planningCounts, planningNeedsDecision } from "./planning-counts";
import { runEvidence } from "./planning-evidence";
import { runMoves } from "./planning-moves";
import { notificationEvidence } from "./planning-notification";
import { offeredRun, planningQueue } from "./planning-queue";
import { type PlanningCursor, type PlanningRow, planningFilter, type RunRow } from "./planning-types";

let db: TestDatabase;
let world: PlanningWorld;
beforeAll(async () => {
  db = await createTestDatabase();
  world = await PlanningWorld.open(db);
});
beforeEach(() => world.nextDay());
afterAll(() => db.close());

const scope = () => ({ tenantGroupId: world.clinic.tenantGroupId, clinicIds: [world.clinic.id] });
const read = <T>(ask: Parameters<typeof withRead<T>>[2], within = scope()) => withRead(db.web, within, ask);
const queue = (filter: object = {}, after: PlanningCursor | null = null, limit = 50) =>
  read((tx) => planningQueue(tx, scope(), planningFilter.parse(filter), after, limit));
const rowOf = async (runId: string): Promise<RunRow> => {
  const { rows } = await queue({ search: runId });
  return rows[0] as RunRow;
};
const evidenceOf = async (runId: string) => {
  const evidence = await read((tx) => runEvidence(tx, scope(), runId));
  if (!evidence) throw new Error("no evidence");
  return evidence;
};
const aPlan = async () => {
  const [moves, stays] = [await world.visit("09:00"), await world.visit("11:00")];
  return { moves, stays, runId: await world.calculated([{ visit: moves, at: "10:00", doctor: 1 }]) };
};

describe("a plan that is ready", () => {
  it("stands first with both versions equal, and offers to be applied", async () => {
    const { runId } = await aPlan();
    const row = await rowOf(runId);
    expect(row).toMatchObject({ group: "DECISION", state: "CALCULATED", differs: [], moves: 1, unread: [] });
    expect(row.versions?.current).toBe(row.versions?.calculated);
    expect(offeredRun(row, world.staff).actions).toMatchObject({ apply: { allowed: true }, discard: { allowed: true } });
    expect(offeredRun(row, world.desk).actions.apply).toEqual({ allowed: false, why: "RIGHT_MISSING" });
  });

  it("shows what was compared before how good it is, and that a refusal does not apply yet", async () => {
    const { runId } = await aPlan();
    const evidence = await evidenceOf(runId);
    expect(evidence.groups?.every(({ calculated, current }) => calculated === current)).toBe(true);
    expect(evidence.sources).toEqual({ byVersion: 1, byPlacement: 1, behindCount: 0, behind: [] });
    expect(evidence.questions.map(({ answer }) => answer)).toEqual(["YES", "YES_EQUAL", "NOT_YET", "NOT_A_POLICY", "NOT_A_NOTIFICATION"]);
    expect(evidence.calculation).toMatchObject({ feasible: true, proven: true });
    expect(evidence.audit.map(({ act }) => act)).toContain("planning.requested");
  });

  it("says of each visit from where to where it moves and which place its patient knows of", async () => {
    const { runId, moves } = await aPlan();
    const page = await read((tx) => runMoves(tx, scope(), runId, -1, 10));
    const [first, second] = world.clinic.doctors as { ref?: string }[];
    expect(page).toMatchObject({ counts: { moves: 1, stay: 1, affected: 0, unplaced: 0 }, told: null, next: null });
    expect(page?.moves[0]).toMatchObject({ appointmentRef: moves.ref, kind: "MOVE", told: null });
    expect(page?.moves[0]?.from.doctorRef).not.toBe(page?.moves[0]?.to?.doctorRef);
    if (first?.ref && second?.ref) expect([page?.moves[0]?.from.doctorRef, page?.moves[0]?.to?.doctorRef]).toEqual([first.ref, second.ref]);
  });

  it("names the affected visits that it leaves, and why, behind those that it moves", async () => {
    const [moves, pinned] = [await world.visit("09:00"), await world.visit("11:00")];
    const why = { code: "DOCTOR_ABSENT" as const, subjectRef: "D-000001", from: null, until: null };
    const runId = await world.calculated([{ visit: moves, at: "10:00" }], { stays: new Map([[pinned.id, why]]) });

    expect(await rowOf(runId)).toMatchObject({ moves: 1, unplaced: 0, stays: 1 });
    const page = await read((tx) => runMoves(tx, scope(), runId, -1, 10));
    expect(page?.counts).toEqual({ moves: 1, stay: 1, affected: 1, unplaced: 0 });
    expect(page?.moves[1]).toMatchObject({ appointmentRef: pinned.ref, kind: "STAYS", whyCode: "DOCTOR_ABSENT", to: null });
  });

  it("is not there for another clinic", async () => {
    const { runId } = await aPlan();
    const other = { ...scope(), clinicIds: [randomUUID()] };
    expect(await read((tx) => runEvidence(tx, other, runId), other)).toBeNull();
    expect(await read((tx) => runMoves(tx, other, runId, -1, 10), other)).toBeNull();
    expect((await read((tx) => planningQueue(tx, other, planningFilter.parse({}), null, 50), other)).rows).toEqual([]);
  });
});

describe("a visit that stays and changes after the calculation", () => {
  it("and was completed where it was is not behind: the plan is offered as long as the fence lets it through", async () => {
    const { runId, stays } = await aPlan();
    await db.superuser.$client`
      update appointments set status = 'COMPLETED', version = version + 1, placement_version = placement_version + 1 where id = ${stays.id}`;

    expect((await evidenceOf(runId)).sources).toEqual({ byVersion: 1, byPlacement: 1, behindCount: 0, behind: [] });
    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED", sourcesBehind: 0 });
  });

  it("and was moved by hand is behind, by its placement", async () => {
    const { runId, stays } = await aPlan();
    await db.superuser.$client`
      update appointments set version = version + 1, placement_version = placement_version + 1 where id = ${stays.id}`;

    const behind = [{ ref: stays.ref, kind: "PLACEMENT", from: "1", to: "2" }];
    expect((await evidenceOf(runId)).sources).toEqual({ byVersion: 1, byPlacement: 1, behindCount: 1, behind });
    expect(await world.apply(runId)).toMatchObject({ outcome: "STALE_REJECTED", staleKind: "VERSIONS", behind });
  });
});

describe("a fact that is changed after the calculation", () => {
  it("is named alone, with who and when, and only its group differs", async () => {
    const { runId } = await aPlan();
    await world.absence(db.superuser.$client, 1, "14:00", "15:00");
    const row = await rowOf(runId);
    expect(row.differs).toEqual(["doctors"]);
    expect(row.versions?.current).not.toBe(row.versions?.calculated);
    const { changes, questions } = await evidenceOf(runId);
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({ group: "doctors", fact: "absences", change: "ADDED" });
    expect(changes[0]?.subjectRef).toMatch(/^D/);
    expect(questions[1]).toEqual({ question: "VERSIONS", answer: "YES_DIFFER" });
  });

  it("among many is named, the newest first, and the rest is counted", async () => {
    const { runId } = await aPlan();
    for (let i = 0; i < 14; i++) await world.absence(db.superuser.$client, 1, `14:${10 + i}`, `14:${11 + i}`);

    const { changes, changesMore } = await evidenceOf(runId);
    expect(changes).toHaveLength(12);
    expect(changesMore).toBe(2);
    expect(changes[0]?.from).toBe(new Date(await world.instant("14:23")).toISOString().replace(".000Z", "Z"));
  });

  it("makes the apply a refusal that was rolled back as a whole, and a new run takes its place", async () => {
    const { runId } = await aPlan();
    await world.absence(db.superuser.$client, 1, "14:00", "15:00");
    expect((await world.apply(runId)).outcome).toBe("STALE_REJECTED");
    expect(await rowOf(runId)).toMatchObject({ group: "DECISION", state: "STALE_REJECTED", staleKind: "FACTS", written: 0 });
    const refused = await evidenceOf(runId);
    expect(refused.questions[2]).toEqual({ question: "ROLLED_BACK", answer: "YES_ROLLED_BACK", written: 0 });
    expect(refused.attempts[0]).toMatchObject({ outcome: "STALE_REJECTED", reached: "FACTS", casFailures: 0 });

    const answer = await recalculateRun(world.deps, world.call(world.staff), runId, "OPERATIONS");
    const made = JSON.parse(answer.body) as { id: string; ref: string };
    const old = await evidenceOf(runId);
    expect(old.row).toMatchObject({ group: "SETTLED", state: "DISCARDED", endedReason: "RECALCULATED", staleKind: "FACTS" });
    expect(old.next).toEqual([{ id: `run.${made.id}`, ref: made.ref, as: "RECALCULATION" }]);
    const newer = await evidenceOf(made.id);
    expect(newer.previous).toMatchObject({ id: `run.${runId}`, as: "RECALCULATION" });
    expect(newer.row).toMatchObject({ group: "WAITING", state: "REQUESTED", versions: null });
    expect(newer.questions[1]).toEqual({ question: "VERSIONS", answer: "NOT_YET" });
    await db.superuser.$client`delete from planning_runs where id = ${made.id}`;
  });
});

describe("an applied plan", () => {
  it("is settled with the version of its apply, whatever changes later, and counts who was told", async () => {
    const { runId } = await aPlan();
    expect((await world.apply(runId)).outcome).toBe("APPLIED");
    await world.absence(db.superuser.$client, 0, "16:00", "16:30");
    const { row, applied, questions, sources } = await evidenceOf(runId);
    expect(row).toMatchObject({ group: "SETTLED", state: "APPLIED", differs: [], written: 1 });
    expect(row.versions?.current).toBe(row.versions?.calculated);
    expect(applied).toMatchObject({ byRef: world.staff.ref, told: 0, toTell: 1 });
    expect(questions[2]).toEqual({ question: "ROLLED_BACK", answer: "NO_CAS_FAILED" });
    expect(sources).not.toBeNull();
    const page = await read((tx) => runMoves(tx, scope(), runId, -1, 10));
    expect(page?.told).toEqual({ sent: 0, all: 1 });
  });
});

describe("what cannot be judged", () => {
  it("stands in review while the record of its attempt is missing, names it, and is not offered as it is", async () => {
    const { runId } = await aPlan();
    await world.absence(db.superuser.$client, 1, "14:00", "15:00");
    await world.apply(runId);
    await db.superuser.$client`delete from planning_apply_attempts where run_id = ${runId}`;
    const { row, questions } = await evidenceOf(runId);
    expect(row).toMatchObject({ state: "DEGRADED_REVIEW", runState: "STALE_REJECTED", unread: ["ATTEMPT"] });
    expect(questions[2]).toEqual({ question: "ROLLED_BACK", answer: "MISSING", unread: ["ATTEMPT"] });
  });
});

describe("the queue", () => {
  it("is read by keyset: no row twice, none left out, in the order of one page", async () => {
    for (let n = 0; n < 3; n++) {
      const { runId } = await aPlan();
      if (n === 0) await discardRun(world.deps, world.call(world.staff), runId);
      world.nextDay();
    }
    const whole = (await queue()).rows.map(({ id }) => id);
    const paged: PlanningRow[] = [];
    for (let cursor: PlanningCursor | null = null, more = true; more; more = cursor !== null) {
      const page = await queue({}, cursor, 2);
      paged.push(...page.rows);
      cursor = page.next;
    }
    expect(paged.map(({ id }) => id)).toEqual(whole);
    expect(new Set(whole).size).toBe(whole.length);
    const groups = paged.map(({ group }) => group);
    expect(groups).toEqual([...groups].sort()); // DECISION, SETTLED, with WAITING between them
  });

  it("is filtered by days that a plan's dates meet, both ends included, and paged by keyset within them", async () => {
    const first = world.day;
    const long = addDays(first, 3);
    const runs: string[] = [];
    for (const [fromDate, untilDate] of [
      [first, long],
      [long, addDays(long, 2)],
      [addDays(long, 3), addDays(long, 4)],
    ] as const)
      runs.push(`run.${await world.calculated([], { range: { fromDate, untilDate, chosenIds: [] } })}`);
    const idsIn = async (from: string, until: string) =>
      (await queue({ days: { from, until } })).rows.map(({ id }) => id).filter((id) => runs.includes(id));
    expect(await idsIn(first, first)).toEqual([runs[0]]);
    expect(await idsIn(long, long)).toEqual([runs[1], runs[0]]); // the last day of one, the first of the other; newest first
    expect(await idsIn(addDays(long, 2), addDays(long, 3))).toEqual([runs[2], runs[1]]);
    expect(await idsIn(addDays(long, 5), addDays(long, 5))).toEqual([]);

    const days = { from: long, until: addDays(long, 4) };
    const whole = (await queue({ days })).rows.map(({ id }) => id);
    const paged: string[] = [];
    for (let cursor: PlanningCursor | null = null, more = true; more; more = cursor !== null) {
      const page = await queue({ days }, cursor, 1);
      paged.push(...page.rows.map(({ id }) => id));
      cursor = page.next;
    }
    expect(paged).toEqual(whole);
    expect(whole).toEqual(expect.arrayContaining(runs));
    expect(planningFilter.safeParse({ days: { from: long, until: first } }).success).toBe(false);
    expect(planningFilter.safeParse({ days: { from: "2026-02-30", until: "2026-03-01" } }).success).toBe(false);
  });

  it("is filtered by today and the next days, by the clock of the clinic", async () => {
    const runId = await world.calculated([], { range: { ...world.range, chosenIds: [] } });
    const isShown = async (days: string) => (await queue({ days })).rows.some(({ id }) => id === `run.${runId}`);
    const moveTo = (offset: number) => db.superuser.$client`
      update planning_runs r
      set from_date = (clock_timestamp() at time zone c.zone)::date + ${offset}::int, until_date = (clock_timestamp() at time zone c.zone)::date + ${offset}::int
      from clinics c where c.id = r.clinic_id and r.id = ${runId}`;
    const shown: [number, boolean, boolean][] = [];
    for (const offset of [-1, 0, 1, 6, 7]) {
      await moveTo(offset);
      shown.push([offset, await isShown("today"), await isShown("7d")]);
    }
    expect(shown).toEqual([
      [-1, false, false],
      [0, true, true],
      [1, false, true],
      [6, false, true],
      [7, false, false],
    ]);
    // a clinic whose today is another one: the name means that clinic's day
    await moveTo(0);
    const [{ zone }] = (await db.superuser.$client`select zone from clinics where id = ${world.clinic.id}`) as unknown as [
      { zone: string },
    ];
    const elsewhere = ["Pacific/Kiritimati", "Pacific/Pago_Pago"].find((other) => todayIn(other) !== todayIn(zone)) as string;
    await db.superuser.$client`update clinics set zone = ${elsewhere} where id = ${world.clinic.id}`;
    expect(await isShown("today")).toBe(false);
    await db.superuser.$client`update clinics set zone = ${zone} where id = ${world.clinic.id}`;
  });

  it("is filtered by tile, by decision and by any reference", async () => {
    const { runId, moves } = await aPlan();
    const { ref } = await rowOf(runId);
    for (const search of [ref, moves.ref, world.clinic.ref])
      expect((await queue({ search })).rows.map(({ id }) => id)).toContain(`run.${runId}`);
    expect((await queue({ search: "SOL-NONE00" })).rows).toEqual([]);
    await world.apply(runId);
    expect((await queue({ tiles: ["APPLIED"] })).rows.every(({ state }) => state === "APPLIED")).toBe(true);
    expect((await queue({ tiles: ["STALE_REJECTED"] })).rows.every((row) => row.kind === "run" && row.runState === "STALE_REJECTED")).toBe(
      true,
    );
    expect((await queue({ decisionOnly: true })).rows.every(({ group }) => group === "DECISION")).toBe(true);
  });

  it("counts from the records: applied and refused in 24 hours, open now, and what needs a decision", async () => {
    const before = await read((tx) => planningCounts(tx, scope()));
    const one = await aPlan();
    world.nextDay();
    const two = await aPlan();
    await world.apply(one.runId);
    await world.absence(db.superuser.$client, 1, "14:00", "15:00");
    await world.apply(two.runId);
    const after = await read((tx) => planningCounts(tx, scope()));
    expect(after.stale.count).toBe(before.stale.count + 1);
    expect(after.stale.in24h).toBe(before.stale.in24h + 1);
    expect(after.applied.count + after.stale.in24h).toBe(
      before.applied.count + before.stale.in24h + (await appliesOf([one.runId, two.runId])),
    );
    expect(after.applied.bars.reduce((sum, n) => sum + n, 0)).toBe(after.applied.count);
    expect(after.needsDecision).toBe(await read((tx) => planningNeedsDecision(tx, scope())));
  });
});

const todayIn = (zone: string): string => new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(new Date());
const appliesOf = async (ids: string[]) =>
  (await db.superuser.$client`select count(*)::int4 as n from planning_apply_attempts where run_id = any (${ids}::uuid[])`)[0]?.n as number;

describe("messages that are late or were given up", () => {
  it("are a row in review that offers no rollback, ends by itself, and leaves the retention unanswered", async () => {
    const { runId } = await aPlan();
    await world.apply(runId);
    expect((await queue({ tiles: ["DEGRADED"] })).rows).toEqual([]);
    await db.superuser
      .$client`update notification_intents set created_at = created_at - interval '10 minutes' where clinic_id = ${world.clinic.id}`;
    const [row] = (await queue({ tiles: ["DEGRADED"] })).rows;
    expect(row).toMatchObject({ kind: "notification", state: "DEGRADED_REVIEW", group: "DECISION" });
    expect((await queue({ days: "7d" })).rows.some(({ kind }) => kind === "notification")).toBe(false); // messages have no days
    const evidence = await read((tx) => notificationEvidence(tx, scope(), world.clinic.id));
    expect(evidence?.signals.find(({ signal }) => signal === "BACKLOG")).toMatchObject({ state: "POOR" });
    expect(evidence?.questions[4]).toMatchObject({ question: "NOTIFICATION", answer: "MISSING" });
    expect((await read((tx) => planningCounts(tx, scope()))).degraded).toMatchObject({ count: 1 });

    await db.superuser.$client`
      update notification_intents set state = 'SENT', settled_at = clock_timestamp(), lease_owner = null, lease_until = null
      where clinic_id = ${world.clinic.id}`;
    expect((await queue({ tiles: ["DEGRADED"] })).rows).toEqual([]);
    expect(await read((tx) => notificationEvidence(tx, scope(), world.clinic.id))).toBeNull();
  });
});
