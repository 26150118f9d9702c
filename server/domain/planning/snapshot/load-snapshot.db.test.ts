// A snapshot is one read, whatever the range and the visits; every column of a fact table is in its version or left out by name; every write of a fact,
// direct SQL included, bumps the planning scope and leaves what changed.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Tx, withRead, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { loadClinicFacts } from "../../clinics/load-facts";
import { dayBounds } from "../../clinics/local-time";
import { placementFor } from "../../clinics/placement-for";
import {
  insertAbsence,
  insertBreak,
  insertClosure,
  insertDoctor,
  insertEquipment,
  insertHoliday,
  insertHours,
  insertOutage,
} from "../../clinics/set-up";
import { allDays, type ClinicFixture, createClinicFixture, type FixtureClinic } from "../../clinics/testing";
import { insertBareVisit } from "../../clinics/testing-visits";
import { excludedColumns, factRecords, groupsOfTable } from "./fact-groups";
import { loadSnapshot, loadSnapshotQueries } from "./load-snapshot";
import { planningFactVersion } from "./planning-fact-version";
import { factGroups, type PlanningSnapshot } from "./types";

let db: TestDatabase;
let world: ClinicFixture;
let ber: FixtureClinic;
const week = { fromDate: "2027-02-08", untilDate: "2027-02-12" };

beforeAll(async () => {
  db = await createTestDatabase();
  world = await createClinicFixture(db.migrator, { ber: { seats: 8 } });
  ber = world.t1.ber;
  await withTx(db.migrator, {}, async (tx) => {
    await insertClosure(tx, ber, { from: "2027-02-09T10:00", until: "2027-02-09T11:00", reason: "Flood" });
    await insertAbsence(tx, ber, { doctorId: doctor(0), from: "2027-02-10", until: "2027-02-10" });
    await insertOutage(tx, ber, { resourceId: ber.room.resourceId, units: 2, from: "2027-02-11T09:00", until: "2027-02-11T12:00" });
    await insertBreak(tx, ber, { interval: ["10:30", "10:45"], weekdays: [1], doctorId: doctor(1) });
    await insertHoliday(tx, ber, { date: "2027-02-12", name: "Founders" });
    await tx.sql`
      insert into planning_weights ${tx.sql({
        clinic_id: ber.id,
        tenant_group_id: ber.tenantGroupId,
        unassigned: 1000,
        moved_told: 9,
        moved_untold: 8,
        doctor_changed: 7,
        per_day_moved: 6,
        per_quarter_moved: 5,
        other_doctor: 4,
        per_day_off: 3,
        outside_window: 2,
        load_pair: 1,
        gap_per_five_minutes: 0,
      })}`;
  });
});
afterAll(() => db.close());

const doctor = (n: number) => ber.doctors[n]?.id as string;
const patient = (n: number) => world.t1.patients[n]?.id as string;
async function snapshotOf(tx: Tx, range = week): Promise<PlanningSnapshot> {
  const snapshot = await loadSnapshot(tx, ber.scope, { clinicId: ber.id, ...range });
  if (!snapshot) throw new Error("in scope");
  return snapshot;
}
const read = (range = week) => withRead(db.web, ber.scope, (tx) => snapshotOf(tx, range));
const book = (startsAt: string, patientNumber: number, treatmentId = ber.treatments.VISIT30, doctorId = doctor(1)) =>
  withTx(db.migrator, {}, async (tx) => {
    const at = Date.parse(startsAt);
    const range = { clinicId: ber.id, from: at - 86_400_000, until: at + 86_400_000, patientId: patient(patientNumber) };
    const facts = await loadClinicFacts(tx, ber.scope, range);
    const result = facts && placementFor(facts, { treatmentId, doctorId, patientId: patient(patientNumber), startsAt });
    if (!result?.ok) throw new Error(JSON.stringify(result?.blockers));
    return insertBareVisit(tx, ber, { treatmentId, patientId: patient(patientNumber), placement: result.placement });
  });

class Undo extends Error {}
/** What a change would make of version, scope counter and list of changes; then it is undone. `db.superuser`: past every policy, as direct SQL is. */
async function changeAndUndo(change: (tx: Tx) => Promise<unknown>) {
  let seen: { groups: string[]; bumps: number; changes: { fact_table: string; change: string; actor_kind: string }[] } | undefined;
  const undone = withTx(db.superuser, {}, async (tx) => {
    const before = await snapshotOf(tx);
    await change(tx);
    const after = await snapshotOf(tx);
    const [one, other] = [planningFactVersion(before), planningFactVersion(after)];
    expect(one.version === other.version).toBe(factGroups.every((group) => one.groups[group] === other.groups[group]));
    const changes = await tx.sql`
      select fact_table, change, actor_kind from fact_changes
      where clinic_id = ${ber.id} and fact_version > ${before.facts.clinic.factVersion} order by id`;
    seen = {
      groups: factGroups.filter((group) => one.groups[group] !== other.groups[group]),
      bumps: Number(BigInt(after.facts.clinic.factVersion) - BigInt(before.facts.clinic.factVersion)),
      changes: changes as never,
    };
    throw new Undo();
  });
  await expect(undone).rejects.toBeInstanceOf(Undo);
  return seen as NonNullable<typeof seen>;
}

describe("a snapshot", () => {
  it("is one statement for any range, and the same from both roles", async () => {
    await book("2027-02-08T09:00:00Z", 0);
    await book("2027-02-08T12:00:00Z", 1, ber.treatments.GROUP);
    const count = async (range: typeof week) => {
      let statements = 0;
      await withRead(db.web, ber.scope, async (tx) => {
        const awaited = new WeakSet<object>();
        const sql = new Proxy(tx.sql, {
          apply: (tag, self, args) => {
            const query = Reflect.apply(tag, self, args) as Promise<unknown>;
            const { then } = query; // a fragment goes by the same tag and is never awaited
            return Object.assign(query, {
              // biome-ignore lint/suspicious/noThenProperty: the test counts what is awaited
              then: (...callbacks: Parameters<typeof then>) => {
                if (!awaited.has(query)) statements += 1;
                awaited.add(query);
                return then.apply(query, callbacks);
              },
            });
          },
        });
        await loadSnapshot(Object.assign(Object.create(tx), { sql }) as Tx, ber.scope, { clinicId: ber.id, ...range });
      });
      return statements;
    };
    expect([await count(week), await count({ fromDate: "2027-02-08", untilDate: "2027-04-10" })]).toEqual([
      loadSnapshotQueries,
      loadSnapshotQueries,
    ]);
    const worker = { worker: "planning-solver", tenantGroupId: ber.tenantGroupId };
    const byWorker = await withRead(db.worker, worker, (tx) => loadSnapshot(tx, worker, { clinicId: ber.id, ...week }));
    const { facts, visits, weights } = await read();
    expect(visits).toEqual(byWorker?.visits);
    expect(weights).toMatchObject({ unassigned: 1000, movedTold: 9, gapPerFiveMinutes: 0 });
    expect({ ...facts, asOf: "", claims: 0 }).toEqual({ ...byWorker?.facts, asOf: "", claims: 0 });
    expect(planningFactVersion(await read())).toEqual(planningFactVersion(byWorker as PlanningSnapshot));
  });

  it("holds the visits that begin on its dates, with what they use and the claims of their patients", async () => {
    const { visits, facts } = await read();
    expect(visits.map(({ localDate, status, version, placementVersion }) => [localDate, status, version, placementVersion])).toEqual([
      ["2027-02-08", "CONFIRMED", "1", "1"],
      ["2027-02-08", "CONFIRMED", "1", "1"],
    ]);
    const group = visits.find(({ treatmentId }) => treatmentId === ber.treatments.GROUP);
    expect(group?.equipment).toEqual([{ equipmentId: ber.room.id, needPosition: 0 }]);
    expect(group).toMatchObject({ startsAt: "2027-02-08T12:00:00Z", pinned: false, overridden: false, toldPlacementVersion: null });
    for (const visit of visits) expect(facts.claims.some(({ resourceId }) => resourceId === visit.patientResourceId)).toBe(true);
    expect((await read({ fromDate: "2027-02-09", untilDate: "2027-02-12" })).visits).toEqual([]);
  });

  it("is nobody's outside of the clinic, and refuses dates that cannot be", async () => {
    const { nyc } = world.t1;
    expect(await withRead(db.web, nyc.scope, (tx) => loadSnapshot(tx, nyc.scope, { clinicId: ber.id, ...week }))).toBeUndefined();
    for (const range of [
      { fromDate: "2027-02-09", untilDate: "2027-02-08" },
      { fromDate: "2027-02-30", untilDate: "2027-03-01" },
      { fromDate: "2027-02-08", untilDate: "2027-04-11" },
    ])
      await expect(read(range)).rejects.toMatchObject({ code: "request-invalid" });
  });

  it("reaches as far as the buffers of a visit that begins or ends a date", async () => {
    const { facts } = await read();
    const buffer = (side: "bufferBeforeMinutes" | "bufferAfterMinutes") => Math.max(...facts.treatments.map((one) => one[side])) * 60_000;
    expect(buffer("bufferAfterMinutes")).toBeGreaterThan(0);
    expect(facts.range.from).toBe(dayBounds(ber.zone, week.fromDate).from - buffer("bufferBeforeMinutes"));
    expect(facts.range.until).toBeGreaterThanOrEqual(dayBounds(ber.zone, "2027-02-13").from + buffer("bufferAfterMinutes"));
  });

  it("has nothing to do with facts of other dates", async () => {
    const before = planningFactVersion(await read());
    const period = { from: "2027-02-14", until: "2027-03-01" };
    await withTx(db.migrator, {}, async (tx) => {
      await insertClosure(tx, ber, { ...period, reason: "Works" });
      await insertAbsence(tx, ber, { ...period, doctorId: doctor(0) });
      await insertOutage(tx, ber, { ...period, resourceId: ber.ultrasound.resourceId });
      await insertHoliday(tx, ber, { date: "2027-02-15", name: "Rest" });
      await insertClosure(tx, ber, { from: "2027-02-13T01:00", until: "2027-02-13T08:00", reason: "After the longest visit" });
    });
    expect(planningFactVersion(await read())).toEqual(before);
    await withTx(db.migrator, {}, (tx) => insertClosure(tx, ber, { from: "2027-02-13T00:30", until: "2027-02-13T08:00", reason: "Night" }));
    expect(planningFactVersion(await read()).groups.closures).not.toBe(before.groups.closures); // a visit of 60 minutes may still run then
    await withTx(db.migrator, {}, async (tx) => {
      await tx.sql`delete from closures where local_from between '2027-02-13' and '2027-02-14'`;
    });
  });
});

/** Another value of each hashed column, as direct SQL writes it. */
const otherValues: Record<string, Record<string, string>> = {
  clinics: {
    zone: "'Europe/Paris'",
    grid_minutes: "10",
    default_doctor_seats: "3",
    resource_id: "null",
    open_on_holidays: "true",
  },
  resources: { id: "", seats: "seats + 1" },
  holidays: { on_date: "on_date - 1" },
  planning_weights: Object.fromEntries(columnsOf("planning_weights").map((column) => [column, `${column} + 1`])),
  doctors: { id: "", ref: "'D-0000X' || right(id::text, 1)", provider_type: "'NURSE'", seats: "2", resource_id: "", active: "not active" },
  doctor_hours: { doctor_id: "", weekday: "weekday + 1", starts: "starts + interval '5 minutes'", ends: "ends - interval '5 minutes'" },
  absences: {
    doctor_id: "",
    local_from: "local_from - interval '1 hour'",
    local_until: "local_until + interval '1 hour'",
    during: "tstzrange(lower(during), upper(during) + interval '1 minute')",
  },
  equipment: { id: "", quantity: "quantity + 1", resource_id: "", active: "not active" },
  resource_outages: {
    resource_id: "",
    units: "units + 1",
    local_from: "local_from - interval '1 hour'",
    local_until: "local_until + interval '1 hour'",
    during: "tstzrange(lower(during), upper(during) + interval '1 minute')",
  },
  treatment_needs: { treatment_id: "", position: "position + 5", usage_offset_minutes: "5", usage_minutes: "30" },
  treatment_need_options: { need_id: "", equipment_id: "", preference: "" },
  closures: {
    local_from: "local_from - interval '1 hour'",
    local_until: "local_until + interval '1 hour'",
    during: "tstzrange(lower(during), upper(during) + interval '1 minute')",
  },
  breaks: { doctor_id: "null", weekday: "null", starts: "'10:20'", ends: "'10:50'" },
  clinic_hours: { weekday: "weekday + 1", opens: "opens + interval '5 minutes'", closes: "closes - interval '5 minutes'" },
  treatments: {
    id: "",
    duration_minutes: "duration_minutes + 5",
    buffer_before_minutes: "buffer_before_minutes + 5",
    buffer_after_minutes: "buffer_after_minutes + 5",
    provider_type: "'NURSE'",
    seats: "coalesce(seats, 1) + 1",
    active: "not active",
  },
};

function columnsOf(table: string): string[] {
  return [...new Set(factRecords.filter((records) => records.table === table).flatMap(({ columns }) => columns))];
}
const tables = [...new Set(factRecords.map(({ table }) => table))];

describe("the columns of the facts", () => {
  it("are hashed or left out by name, all of them: a new column makes this red until somebody has decided", async () => {
    const columns = await db.superuser.$client<{ table: string; columns: string[] }[]>`
      select relname as table, array_agg(attname::text) as columns
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where relname in ${db.superuser.$client(tables)} and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
      group by relname`;
    expect(columns.length).toBe(tables.length);
    for (const { table, columns: found } of columns) {
      const known = [...columnsOf(table), ...Object.keys(excludedColumns[table] ?? {})];
      expect({ table, columns: known.filter((name) => name !== "id" || found.includes("id")).toSorted() }).toEqual({
        table,
        columns: found.toSorted(),
      });
    }
  });

  it("a column that is added is noticed by that comparison", async () => {
    await expect(
      withTx(db.superuser, {}, async (tx) => {
        await tx.sql`alter table absences add column half_day boolean not null default false`;
        const [row] = await tx.sql<{ columns: string[] }[]>`
          select array_agg(attname::text) as columns from pg_attribute where attrelid = 'absences'::regclass and attnum > 0 and not attisdropped`;
        const known = [...columnsOf("absences"), ...Object.keys(excludedColumns.absences ?? {})];
        expect(row?.columns.filter((name) => !known.includes(name))).toEqual(["half_day"]);
        throw new Undo();
      }),
    ).rejects.toBeInstanceOf(Undo);
  });

  it("that the triggers leave out of what changed are the ones that no version covers", async () => {
    const triggers = await db.superuser.$client<{ table: string; def: string }[]>`
      select tgrelid::regclass::text as table, pg_get_triggerdef(oid) as def from pg_trigger where tgname = 'bump_planning_scope'`;
    expect(triggers.map(({ table }) => table).toSorted()).toEqual(tables.toSorted());
    for (const { table, def } of triggers) {
      const leftOut = [...(/\((.*)\)$/.exec(def)?.[1] ?? "").matchAll(/'(\w+)'/g)].map(([, name]) => name);
      expect({ table, leftOut: leftOut.toSorted() }).toEqual({ table, leftOut: Object.keys(excludedColumns[table] ?? {}).toSorted() });
    }
  });

  it.each(
    tables.flatMap((table) =>
      Object.entries(otherValues[table] ?? {})
        .filter(([, value]) => value !== "")
        .map(([column, value]) => [table, column, value]),
    ),
  )("%s.%s: direct SQL changes the version in its group, bumps the scope and says what changed", async (table, column, value) => {
    const where =
      table === "clinics"
        ? `id = '${ber.id}'`
        : table === "resources"
          ? `id in (select resource_id from doctors where clinic_id = '${ber.id}')`
          : `clinic_id = '${ber.id}'`;
    const seen = await changeAndUndo(async (tx) => {
      await tx.sql.unsafe("set local session_replication_role = origin");
      await tx.sql.unsafe(`update ${table} set ${column} = ${value} where ${where}`);
    });
    expect(seen.groups.length).toBe(1);
    expect(groupsOfTable(table)).toContain(seen.groups[0]);
    expect(seen.bumps).toBeGreaterThan(0);
    expect(new Set(seen.changes.map((change) => Object.values(change).join(" ")))).toEqual(new Set([`${table} CHANGED database`]));
  });

  it("every hashed column has its other value above, or is an identity that a row is moved by", () => {
    for (const table of tables)
      expect({ table, columns: Object.keys(otherValues[table] ?? {}).toSorted() }).toEqual({ table, columns: columnsOf(table).toSorted() });
  });
});

describe("a fact that is added or removed", () => {
  const additions: [name: string, group: string, add: (tx: Tx) => Promise<unknown>][] = [
    ["a closure", "closures", (tx) => insertClosure(tx, ber, { from: "2027-02-08T10:00", until: "2027-02-08T11:00", reason: "Again" })],
    ["a break", "closures", (tx) => insertBreak(tx, ber, { interval: ["14:00", "14:15"] })],
    ["an absence", "doctors", (tx) => insertAbsence(tx, ber, { doctorId: doctor(1), from: "2027-02-08", until: "2027-02-08" })],
    ["a shift", "doctors", (tx) => insertHours(tx, ber, { doctorId: doctor(0), weekdays: [6], intervals: [["09:00", "12:00"]] })],
    ["a doctor", "doctors", (tx) => insertDoctor(tx, ber, { name: "New" })],
    [
      "an outage",
      "equipment",
      (tx) => insertOutage(tx, ber, { resourceId: ber.ultrasound.resourceId, from: "2027-02-08", until: "2027-02-08" }),
    ],
    ["a device", "equipment", (tx) => insertEquipment(tx, ber, { name: "New" })],
    ["a holiday", "clinic", (tx) => insertHoliday(tx, ber, { date: "2027-02-10", name: "Rest" })],
    ["opening hours", "slots", (tx) => insertHours(tx, ber, { weekdays: allDays, intervals: [["18:00", "19:00"]] })],
  ];

  it.each(additions)("%s: another version, in one group", async (_name, group, add) => {
    const seen = await changeAndUndo(add);
    expect(seen.groups).toEqual([group]);
    expect(seen.bumps).toBeGreaterThan(0);
    expect(new Set(seen.changes.map(({ change }) => change))).toEqual(new Set(["ADDED"]));
  });

  it.each([
    "closures",
    "absences",
    "resource_outages",
    "breaks",
    "holidays",
    "clinic_hours",
    "doctor_hours",
    "planning_weights",
    "treatment_need_options",
  ])("a row of %s that direct SQL deletes", async (table) => {
    const seen = await changeAndUndo((tx) => tx.sql.unsafe(`delete from ${table} where clinic_id = '${ber.id}'`));
    expect(seen.groups).toEqual([groupsOfTable(table)[0]]);
    expect(new Set(seen.changes.map((change) => Object.values(change).join(" ")))).toEqual(new Set([`${table} REMOVED database`]));
  });

  it("a change that decides no place bumps the scope and is no change of the facts", async () => {
    const seen = await changeAndUndo(
      (tx) => tx.sql`update closures set reason = 'Leak', version = version + 1 where clinic_id = ${ber.id}`,
    );
    expect(seen).toMatchObject({ groups: [], changes: [] });
    expect(seen.bumps).toBeGreaterThan(0);
  });

  it("keeps what was and what is, without reason and name, whatever the session's own zone", async () => {
    const undone = withTx(db.superuser, {}, async (tx) => {
      await tx.sql.unsafe("set local timezone = 'Asia/Kathmandu'");
      await tx.sql`select set_config('app.actor_kind', 'person', true), set_config('app.actor_ref', 'ST-000007', true)`;
      await tx.sql`update absences set local_until = local_until + interval '1 hour', during = tstzrange(lower(during), upper(during) + interval '1 hour')
                   where clinic_id = ${ber.id} and doctor_id = ${doctor(0)} and local_from = '2027-02-10'`;
      const [row] = await tx.sql`select * from fact_changes where clinic_id = ${ber.id} order by id desc limit 1`;
      expect(row).toMatchObject({
        fact_table: "absences",
        change: "CHANGED",
        actor_kind: "person",
        actor_ref: "ST-000007",
        command_id: null,
      });
      expect(row?.before).toEqual({
        during: '["2027-02-09 23:00:00+00","2027-02-10 23:00:00+00")',
        doctor_id: doctor(0),
        local_from: "2027-02-10T00:00:00",
        local_until: "2027-02-11T00:00:00",
      });
      expect(row?.after).toMatchObject({ local_until: "2027-02-11T01:00:00" });
      expect(row?.old_digest).not.toBe(row?.new_digest);
      throw new Undo();
    });
    await expect(undone).rejects.toBeInstanceOf(Undo);
  });
});
