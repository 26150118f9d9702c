// Two tenant groups that tests share. T1: BER (Europe/Berlin), NYC (America/New_York), SEL (Asia/Seoul). T2: KTM (Asia/Kathmandu), LHI (Australia/Lord_Howe).
// Every clinic: Mon–Fri 09:00–12:00 and 13:00–17:00, grid of 15 minutes, doctors with the same shifts, one ultrasound U1, a room CH with 10 chairs.
// The plain day is Tuesday 2027-02-09. All people are synthetic.
import { type Db, type Tx, withTx } from "@/db/client";
import { newUuid } from "@/server/ids";
import {
  type ClinicKey,
  insertClinic,
  insertDoctor,
  insertEquipment,
  insertHours,
  insertTreatment,
  type NewClinic,
  type NewTreatment,
} from "./set-up";

export const plainDay = "2027-02-09";
/** A moment before every date that the fixture speaks of. */
export const longBefore = "2026-10-01T00:00:00Z";
export const usualHours: [string, string][] = [
  ["09:00", "12:00"],
  ["13:00", "17:00"],
];
export const workdays = [1, 2, 3, 4, 5];
export const allDays = [1, 2, 3, 4, 5, 6, 7];

export type FixtureScope = { tenantGroupId: string; clinicIds: string[] };
export type FixtureDoctor = { id: string; ref: string; resourceId: string };
export type FixtureEquipment = { id: string; ref: string; resourceId: string };
export type FixturePatient = { id: string; ref: string; resourceId: string };
export type FixtureClinic = ClinicKey & {
  ref: string;
  /** What row-level security and every query take: this clinic only. */
  scope: FixtureScope;
  doctors: FixtureDoctor[];
  /** one at a time */
  ultrasound: FixtureEquipment;
  /** 10 places */
  room: FixtureEquipment;
  /** VISIT15, VISIT30, VISIT60: no needs · BUFFERED: 15 min and 30 min after · ULTRASOUND: 60 min with U1 · GROUP: 60 min, 10 places, needs CH */
  treatments: Record<"VISIT15" | "VISIT30" | "VISIT60" | "BUFFERED" | "ULTRASOUND" | "GROUP", string>;
};
export type FixtureTenant = { tenantGroupId: string; ref: string; scope: FixtureScope; patients: FixturePatient[] };
export type ClinicFixture = {
  t1: FixtureTenant & { ber: FixtureClinic; nyc: FixtureClinic; sel: FixtureClinic };
  t2: FixtureTenant & { ktm: FixtureClinic; lhi: FixtureClinic };
};

/**
 * Builds both tenants and gives their ids. `db`: the migrator's handle of a test database (it may write every tenant). D1, D2 are BER's doctors, D3 is
 * NYC's. `patients` for each tenant, 12 when left out. References: `CL-BER000`, `D-000001`, `EQ-BER001` (U1), `RM-BER001` (CH), `PT-000001` ….
 */
export function createClinicFixture(db: Db, options: { patients?: number; ber?: Partial<NewClinic> } = {}): Promise<ClinicFixture> {
  return withTx(
    db,
    {},
    async (tx) => {
      const patients = options.patients ?? 12;
      const one = await insertTenant(tx, "TG-000001", "Tenant one", patients);
      const two = await insertTenant(tx, "TG-000002", "Tenant two", patients);
      const ber = await insertFixtureClinic(tx, one.tenantGroupId, "BER", "Europe/Berlin", [1, 2], options.ber);
      const nyc = await insertFixtureClinic(tx, one.tenantGroupId, "NYC", "America/New_York", [3]);
      const sel = await insertFixtureClinic(tx, one.tenantGroupId, "SE0", "Asia/Seoul", [4]);
      const ktm = await insertFixtureClinic(tx, two.tenantGroupId, "KTM", "Asia/Kathmandu", [1]);
      const lhi = await insertFixtureClinic(tx, two.tenantGroupId, "1H1", "Australia/Lord_Howe", [2]);
      return {
        t1: { ...one, scope: scopeOf(one.tenantGroupId, [ber, nyc, sel]), ber, nyc, sel },
        t2: { ...two, scope: scopeOf(two.tenantGroupId, [ktm, lhi]), ktm, lhi },
      };
    },
    fixtureOptions,
  );
}

/** For what hangs: hundreds of rows on a busy machine are no reason to fail. */
const fixtureOptions = { deadlineMs: 60_000 };

const scopeOf = (tenantGroupId: string, clinics: FixtureClinic[]): FixtureScope => ({
  tenantGroupId,
  clinicIds: clinics.map((clinic) => clinic.id),
});

async function insertTenant(tx: Tx, ref: string, name: string, count: number) {
  const tenantGroupId = newUuid();
  await tx.sql`insert into tenant_groups (id, ref, name) values (${tenantGroupId}, ${ref}, ${name})`;
  const patients = Array.from({ length: count }, (_, i) => ({
    id: newUuid(),
    resourceId: newUuid(),
    ref: `PT-${String(i + 1).padStart(6, "0")}`,
  }));
  await tx.sql`
    insert into resources ${tx.sql(patients.map((p) => ({ id: p.resourceId, tenant_group_id: tenantGroupId, kind: "PATIENT", seats: 1 })))}`;
  await tx.sql`
    insert into patients ${tx.sql(
      patients.map((p, i) => ({
        id: p.id,
        tenant_group_id: tenantGroupId,
        ref: p.ref,
        resource_id: p.resourceId,
        name: `Patient ${i + 1}`,
        name_search: `patient ${i + 1}`,
        external_reference: `ext-${i + 1}`,
      })),
    )}`;
  return { tenantGroupId, ref, patients };
}

async function insertFixtureClinic(
  tx: Tx,
  tenantGroupId: string,
  code: string,
  zone: string,
  doctorNumbers: number[],
  overrides: Partial<NewClinic> = {},
): Promise<FixtureClinic> {
  const ref = `CL-${code}000`;
  const key = await insertClinic(tx, tenantGroupId, { name: `Clinic ${code}`, ref, zone, ...overrides });
  await insertHours(tx, key, { weekdays: workdays, intervals: usualHours });
  const doctors: FixtureDoctor[] = [];
  for (const number of doctorNumbers) {
    const doctorRef = `D-${String(number).padStart(6, "0")}`;
    const doctor = await insertDoctor(tx, key, { name: `Doctor ${number}`, ref: doctorRef });
    await insertHours(tx, key, { doctorId: doctor.id, weekdays: workdays, intervals: usualHours });
    doctors.push({ ...doctor, ref: doctorRef });
  }
  const ultrasound = await insertEquipment(tx, key, { name: "Ultrasound", ref: `EQ-${code}001` });
  const room = await insertEquipment(tx, key, { name: "Group room", ref: `RM-${code}001`, kind: "ROOM", quantity: 10 });
  const treatment = async (number: number, name: string, rest: Omit<NewTreatment, "name">) =>
    (await insertTreatment(tx, key, { name, ref: `TR-${code}00${number}`, ...rest })).id;
  const treatments = {
    VISIT15: await treatment(1, "Visit 15 min", { durationMinutes: 15 }),
    VISIT30: await treatment(2, "Visit 30 min", { durationMinutes: 30 }),
    VISIT60: await treatment(3, "Visit 60 min", { durationMinutes: 60 }),
    BUFFERED: await treatment(4, "Visit with after-care", { durationMinutes: 15, bufferAfterMinutes: 30 }),
    ULTRASOUND: await treatment(5, "Ultrasound", { durationMinutes: 60, needs: [{ equipmentIds: [ultrasound.id] }] }),
    GROUP: await treatment(6, "Group session", { durationMinutes: 60, seats: 10, needs: [{ equipmentIds: [room.id] }] }),
  };
  return {
    ...key,
    ref,
    scope: { tenantGroupId, clinicIds: [key.id] },
    doctors,
    ultrasound: { ...ultrasound, ref: `EQ-${code}001` },
    room: { ...room, ref: `RM-${code}001` },
    treatments,
  };
}
