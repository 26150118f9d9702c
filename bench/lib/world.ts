import type { Db } from "@/db/client";
import { withTx } from "@/db/client";
import { addDays, resolveLocal, toIso } from "@/server/domain/clinics/local-time";
import { type ClinicKey, insertClinic, insertDoctor, insertHours, insertTreatment } from "@/server/domain/clinics/set-up";
import type { TokenActor } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";

export type BenchClinic = ClinicKey & { doctors: { id: string; resourceId: string }[]; treatmentId: string };
export type World = {
  tenantGroupId: string;
  clinics: BenchClinic[];
  patients: { id: string; ref: string; resourceId: string }[];
  actor: TokenActor;
  /** The n-th booking that meets no other: another doctor than its neighbours, and never a time twice for a doctor or a patient. */
  booking: (n: number) => Booking;
};
export type Booking = {
  clinic: BenchClinic;
  doctor: { id: string; resourceId: string };
  patient: { id: string; ref: string; resourceId: string };
  treatmentId: string;
  startsAt: string;
  endsAt: string;
  localDate: string;
  localStart: string;
  utcOffsetSeconds: number;
};

const zone = "Europe/Berlin";
/** The Monday after the next thirteen weeks: whenever the suites run, every booking lies ahead of the clock. */
export const firstDay = mondayAfter(Date.now() + 91 * 86_400_000);
const startsPerDay = 48; // 08:00 to 20:00 by the quarter of an hour

/** A tenant group of its own: `clinics` clinics with 10 doctors each, open 08:00–20:00 every day, visits of 15 minutes. Synthetic people. */
export async function createWorld(db: Db, options: { clinics: number; patients?: number; name: string }): Promise<World> {
  const tenantGroupId = newUuid();
  const patients = Array.from({ length: options.patients ?? 2_000 }, (_, i) => ({
    id: newUuid(),
    resourceId: newUuid(),
    ref: `PT-${String(i + 1).padStart(6, "0")}`,
  }));
  const clinics = await withTx(
    db,
    {},
    async (tx) => {
      await tx.sql`insert into tenant_groups (id, ref, name) values (${tenantGroupId}, ${`TG-${tenantGroupId.slice(-6)}`}, ${options.name})`;
      await tx.sql`
        insert into resources (id, tenant_group_id, kind, seats)
        select r, ${tenantGroupId}, 'PATIENT', 1 from unnest(${patients.map((p) => p.resourceId)}::uuid[]) r`;
      await tx.sql`
        insert into patients (id, tenant_group_id, ref, resource_id, name, name_search)
        select p.id, ${tenantGroupId}, p.ref, p.resource_id, 'Patient ' || p.ref, 'patient ' || lower(p.ref)
        from unnest(${patients.map((p) => p.id)}::uuid[], ${patients.map((p) => p.ref)}::text[], ${patients.map((p) => p.resourceId)}::uuid[])
          as p (id, ref, resource_id)`;
      const made: BenchClinic[] = [];
      for (let c = 0; c < options.clinics; c++) made.push(await insertBenchClinic(tx, tenantGroupId, c));
      return made;
    },
    { deadlineMs: 60_000, idleTimeoutMs: 30_000 },
  );
  return {
    tenantGroupId,
    clinics,
    patients,
    actor: tokenActor(tenantGroupId, clinics),
    booking: (n) => bookingOf(clinics, patients, n),
  };
}

async function insertBenchClinic(tx: Parameters<typeof insertClinic>[0], tenantGroupId: string, number: number): Promise<BenchClinic> {
  const clinic = await insertClinic(tx, tenantGroupId, { name: `Clinic ${number + 1}`, zone });
  const everyDay = { weekdays: [1, 2, 3, 4, 5, 6, 7], intervals: [["08:00", "20:00"]] as [string, string][] };
  await insertHours(tx, clinic, everyDay);
  const doctors: BenchClinic["doctors"] = [];
  for (let d = 0; d < 10; d++) {
    const doctor = await insertDoctor(tx, clinic, { name: `Doctor ${d + 1}` });
    await insertHours(tx, clinic, { ...everyDay, doctorId: doctor.id });
    doctors.push(doctor);
  }
  const treatment = await insertTreatment(tx, clinic, { name: "Visit 15 min", durationMinutes: 15 });
  return { ...clinic, doctors, treatmentId: treatment.id };
}

const tokenActor = (tenantGroupId: string, clinics: BenchClinic[]): TokenActor => ({
  kind: "token",
  tenantGroupId,
  clinicIds: clinics.map(({ id }) => id),
  clientId: newUuid(),
  tokenId: newUuid(),
  ref: "AC-BENCH1",
  commands: ["appointments:read", "appointments:create", "appointments:confirm", "slots:read", "clinics:read"],
});

function bookingOf(clinics: BenchClinic[], patients: World["patients"], n: number): Booking {
  const doctors = clinics.length * 10;
  const clinic = clinics[n % clinics.length] as BenchClinic;
  const doctor = clinic.doctors[Math.floor(n / clinics.length) % 10] as BenchClinic["doctors"][number];
  const slot = Math.floor(n / doctors);
  const time = startOf(slot);
  return { clinic, doctor, patient: patients[n % patients.length] as World["patients"][number], treatmentId: clinic.treatmentId, ...time };
}

function mondayAfter(atMs: number): string {
  const day = new Date(atMs);
  day.setUTCDate(day.getUTCDate() + ((8 - day.getUTCDay()) % 7 || 7));
  return day.toISOString().slice(0, 10);
}

const starts: { startsAt: string; endsAt: string; localDate: string; localStart: string; utcOffsetSeconds: number }[] = [];

function startOf(slot: number) {
  for (let next = starts.length; next <= slot; next++) {
    const localDate = addDays(firstDay, Math.floor(next / startsPerDay));
    const minutes = 8 * 60 + (next % startsPerDay) * 15;
    const localStart = `${localDate}T${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
    const resolved = resolveLocal(zone, localStart);
    if (!resolved.ok) throw new Error(`${localStart} does not exist in ${zone}`);
    const { at } = resolved;
    const utcOffsetSeconds = Math.round((Date.parse(`${localStart}:00Z`) - at) / 1000);
    starts.push({ startsAt: toIso(at), endsAt: toIso(at + 15 * 60_000), localDate, localStart, utcOffsetSeconds });
  }
  return starts[slot] as (typeof starts)[number];
}
