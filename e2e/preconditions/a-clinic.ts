import { randomInt, randomUUID } from "node:crypto";
import { Temporal } from "temporal-polyfill";
import { closeDb, openDb, type Tx, withTx } from "@/db/client";
import { e2eWorld } from "@/db/testing/e2e-world";
import { people } from "./signed-in";

const allDays = [1, 2, 3, 4, 5, 6, 7];
type Options = {
  zone?: string;
  hours?: [string, string][];
  doctors?: string[];
  /** Visits that each doctor takes at once. */
  seats?: number;
  gridMinutes?: number;
  treatments?: { name: string; minutes: number; room?: boolean }[];
  breaks?: { doctor?: string; interval: [string, string] }[];
  absences?: { doctor: string; from: string; until: string }[];
  closures?: { from: string; until: string }[];
  patients?: { name: string; phone?: string; birthDate?: string }[];
};
export type OwnClinic = {
  id: string;
  ref: string;
  /** A Tuesday of the coming weeks, and today, on the clinic's calendar. */
  tuesday: string;
  today: string;
  doctors: Record<string, string>;
  treatments: Record<string, string>;
  patients: Record<string, string>;
};

/** The person who works at every clinic that tests make, and, to land somewhere after signing in, in Berlin: hired once. */
export const onCallDeskIsHired = (): Promise<void> =>
  write(async ({ sql }) => {
    await sql`
      insert into users (id, tenant_group_id, ref, email, name, password_hash, locale)
      select ${randomUUID()}, tenant_group_id, ${aRef("ST")}, ${people.onCallDesk}, 'On-call desk', password_hash, 'en'
      from users
      where email = ${people.berlinDesk}
      on conflict do nothing`;
    await sql`
      insert into user_roles (tenant_group_id, user_id, role, clinic_id)
      select u.tenant_group_id, u.id, 'FRONT_DESK', r.clinic_id
      from users u, users other join user_roles r on r.user_id = other.id
      where u.email = ${people.onCallDesk} and other.email = ${people.berlinDesk} and r.role = 'FRONT_DESK'
        and not exists (select from user_roles own where own.user_id = u.id)
      limit 1`;
  });

/** A clinic that only this test knows, in which the on-call desk may book; its facts are what the test says. */
export function aClinic(options: Options = {}): Promise<OwnClinic> {
  return write(async ({ sql }) => {
    const [user] = await sql<{ id: string; tenant_group_id: string }[]>`
      select id, tenant_group_id from users where email = ${people.onCallDesk}`;
    if (!user) throw new Error("nobody is hired for it");
    const { tenant_group_id } = user;
    const zone = options.zone ?? "Europe/Berlin";
    const [id, ref] = [randomUUID(), aRef("CL")];
    const of = { tenant_group_id, clinic_id: id };
    const resource = async (kind: string, seats: number) => {
      const resourceId = randomUUID();
      await sql`insert into resources ${sql({ id: resourceId, tenant_group_id, kind, seats })}`;
      return resourceId;
    };
    const seats = options.seats ?? 1;
    const grid_minutes = options.gridMinutes ?? 10;
    await sql`
      insert into clinics ${sql({ id, tenant_group_id, ref, name: `On-call ${ref.slice(3)}`, zone, grid_minutes, default_doctor_seats: seats })}`;
    await sql`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenant_group_id}, ${user.id}, 'FRONT_DESK', ${id})`;
    await sql`update api_tokens set clinic_ids = array_append(clinic_ids, ${id}::uuid) where tenant_group_id = ${tenant_group_id}`;
    const hours = (options.hours ?? [["09:00", "17:00"]]).flatMap(([from, until]) => allDays.map((weekday) => ({ weekday, from, until })));
    await sql`insert into clinic_hours ${sql(hours.map((one) => ({ ...of, weekday: one.weekday, opens: one.from, closes: one.until })))}`;
    const doctors: Record<string, string> = {};
    for (const name of options.doctors ?? ["Dr Ada Winter", "Dr Bruno Sommer"]) {
      const doctor_id = randomUUID();
      const person = { specialty: "General practice", provider_type: "DOCTOR", resource_id: await resource("DOCTOR", seats) };
      await sql`insert into doctors ${sql({ id: doctor_id, ...of, ref: aRef("D"), name, ...person })}`;
      await sql`
        insert into doctor_hours ${sql(hours.map((one) => ({ ...of, doctor_id, weekday: one.weekday, starts: one.from, ends: one.until })))}`;
      doctors[name] = doctor_id;
    }
    const roomId = randomUUID();
    if (options.treatments?.some((one) => one.room)) {
      const room = { name: "Room 2", kind: "ROOM", quantity: 1, resource_id: await resource("ROOM", 1) };
      await sql`insert into equipment ${sql({ id: roomId, ...of, ref: aRef("RM"), ...room })}`;
    }
    const treatments: Record<string, string> = {};
    for (const { name, minutes, room } of options.treatments ?? [{ name: "Consultation", minutes: 30, room: false }]) {
      const [treatment_id, need_id] = [randomUUID(), randomUUID()];
      await sql`insert into treatments ${sql({ id: treatment_id, ...of, ref: aRef("TR"), name, duration_minutes: minutes })}`;
      if (room) {
        await sql`insert into treatment_needs ${sql({ id: need_id, ...of, treatment_id, position: 0, usage_offset_minutes: 0 })}`;
        await sql`insert into treatment_need_options ${sql({ ...of, need_id, equipment_id: roomId, preference: 0 })}`;
      }
      treatments[name] = treatment_id;
    }
    for (const { doctor, interval } of options.breaks ?? []) {
      const doctor_id = doctor ? (doctors[doctor] ?? null) : null;
      await sql`insert into breaks ${sql({ ...of, doctor_id, weekday: null, starts: interval[0], ends: interval[1], label: "Break" })}`;
    }
    for (const { doctor, from, until } of options.absences ?? [])
      await sql`
        insert into absences (id, tenant_group_id, clinic_id, doctor_id, local_from, local_until, during, reason)
        values (${randomUUID()}, ${tenant_group_id}, ${id}, ${doctors[doctor] ?? null}, ${from}, ${until},
          tstzrange(${from}::timestamp at time zone ${zone}, ${until}::timestamp at time zone ${zone}), 'Training')`;
    for (const { from, until } of options.closures ?? [])
      await sql`
        insert into closures (id, tenant_group_id, clinic_id, local_from, local_until, during, reason)
        values (${randomUUID()}, ${tenant_group_id}, ${id}, ${from}, ${until},
          tstzrange(${from}::timestamp at time zone ${zone}, ${until}::timestamp at time zone ${zone}), 'Renovation')`;
    const patients: Record<string, string> = {};
    for (const { name, phone = null, birthDate = null } of options.patients ?? []) {
      const person = { name, name_search: folded(name), phone, phone_digits: phone?.replace(/\D/g, "") ?? null, birth_date: birthDate };
      const patientId = randomUUID();
      await sql`insert into patients ${sql({ id: patientId, tenant_group_id, ref: aRef("PT"), resource_id: await resource("PATIENT", 1), ...person })}`;
      patients[name] = patientId;
    }
    const today = Temporal.Now.plainDateISO(zone);
    const tuesday = today.add({ days: 7 + ((9 - today.dayOfWeek) % 7) });
    return { id, ref, tuesday: tuesday.toString(), today: today.toString(), doctors, treatments, patients };
  });
}

/** A reference as the product makes them. */
const aRef = (prefix: string) => `${prefix}-${Array.from({ length: 6 }, () => "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[randomInt(32)]).join("")}`;
/** Enough of the product's folding for the names of these tests. */
const folded = (name: string) =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .normalize("NFC");

/** A zone in which it is about noon now, so that what is booked for the next hours is today's. */
export function zoneAtNoon(): string {
  const zones = [
    "Pacific/Auckland",
    "Asia/Seoul",
    "Asia/Kathmandu",
    "Europe/Berlin",
    "America/Sao_Paulo",
    "America/Denver",
    "Pacific/Honolulu",
  ];
  const fromNoon = (zone: string) => Math.abs(Temporal.Now.zonedDateTimeISO(zone).hour - 12);
  return zones.reduce((best, zone) => (fromNoon(zone) < fromNoon(best) ? zone : best));
}

async function write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  const db = openDb(e2eWorld().superuserUrl, { max: 1, applicationName: "e2e" });
  try {
    return await withTx(db, {}, work);
  } finally {
    await closeDb(db);
  }
}
