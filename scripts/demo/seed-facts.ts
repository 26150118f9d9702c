import type { Tx } from "@/db/client";
import { DEMO_GROUPS, type DemoClinic, type DemoGroup } from "@/scripts/demo/clinics";
import { insertRows } from "@/scripts/demo/insert-rows";
import { DEMO_PASSWORD, DEMO_USERS, newPatient } from "@/scripts/demo/people";
import { newRandom } from "@/scripts/demo/random";
import { addDays, localAt } from "@/server/domain/clinics/local-time";
import {
  type ClinicKey,
  insertAbsence,
  insertBreak,
  insertClinic,
  insertClosure,
  insertDoctor,
  insertEquipment,
  insertHoliday,
  insertHours,
  insertOutage,
  insertTreatment,
} from "@/server/domain/clinics/set-up";
import { tokenCommands } from "@/server/domain/scope/actor";
import { tokenHash } from "@/server/domain/scope/find-token";
import { hashPassword } from "@/server/domain/scope/password";
import { newRef, newUuid } from "@/server/ids";

/** An API client whose bookings wait for the desk as REQUESTED. */
export const PORTAL = "Referral portal";

export type SeededPatient = { id: string; resourceId: string };
export type SeededGroup = { tenantGroupId: string; clinics: ClinicKey[]; patients: SeededPatient[] };

/**
 * Writes the demo's groups, clinics, people and facts, as the migrator: no tenant exists yet that could act.
 * @param now the moment that is today, epoch milliseconds
 * @param apiToken the token that an API client of the first group gets
 */
export async function seedFacts(tx: Tx, now: number, apiToken: string): Promise<SeededGroup[]> {
  const groups: SeededGroup[] = [];
  for (const group of DEMO_GROUPS) groups.push(await seedGroup(tx, group, now));
  await seedUsers(tx, groups);
  for (const [i, group] of groups.entries()) await seedApiClients(tx, group, i === 0 ? apiToken : newUuid() + newUuid());
  return groups;
}

async function seedGroup(tx: Tx, group: DemoGroup, now: number): Promise<SeededGroup> {
  const tenantGroupId = newUuid();
  await insertRows(tx, "tenant_groups", [{ id: tenantGroupId, ref: newRef("TG"), name: group.name }]);
  const random = newRandom(group.patients);
  const patients = Array.from({ length: group.patients }, (_, i) => ({
    id: newUuid(),
    resourceId: newUuid(),
    ...newPatient(random, i + 1),
  }));
  await insertRows(
    tx,
    "resources",
    patients.map(({ resourceId }) => ({ id: resourceId, tenant_group_id: tenantGroupId, kind: "PATIENT", seats: 1, claims_seq: 0 })),
  );
  await insertRows(
    tx,
    "patients",
    patients.map((patient) => ({
      id: patient.id,
      tenant_group_id: tenantGroupId,
      ref: newRef("PT"),
      resource_id: patient.resourceId,
      name: patient.name,
      name_search: patient.name.toLowerCase(),
      phone: patient.phone,
      phone_digits: patient.phone.replace(/\D/g, ""),
      email: patient.email,
      birth_date: patient.birthDate,
      language: patient.language,
    })),
  );
  const clinics: ClinicKey[] = [];
  for (const clinic of group.clinics) clinics.push(await seedClinic(tx, tenantGroupId, clinic, now));
  return { tenantGroupId, clinics, patients };
}

async function seedClinic(tx: Tx, tenantGroupId: string, demo: DemoClinic, now: number): Promise<ClinicKey> {
  const today = localAt(demo.zone, now).date;
  const at = ([day, time]: [day: number, time: string]) => `${addDays(today, day)}T${time}`;
  const clinic = await insertClinic(tx, tenantGroupId, {
    name: demo.name,
    zone: demo.zone,
    gridMinutes: demo.gridMinutes,
    seats: demo.limit,
  });
  for (const hours of demo.hours) await insertHours(tx, clinic, hours);
  const doctors = new Map<string, string>();
  for (const doctor of demo.doctors) {
    const { id } = await insertDoctor(tx, clinic, doctor);
    doctors.set(doctor.name, id);
    for (const hours of doctor.hours ?? demo.hours) await insertHours(tx, clinic, { ...hours, doctorId: id });
  }
  const equipment = new Map<string, { id: string; resourceId: string }>();
  for (const item of demo.equipment) equipment.set(item.name, await insertEquipment(tx, clinic, item));
  for (const { needs = [], minutes, buffers = [0, 0], ...treatment } of demo.treatments)
    await insertTreatment(tx, clinic, {
      ...treatment,
      durationMinutes: minutes,
      bufferBeforeMinutes: buffers[0],
      bufferAfterMinutes: buffers[1],
      needs: needs.map(({ anyOf, usage }) => ({
        equipmentIds: anyOf.map((name) => known(equipment, name).id),
        usageOffsetMinutes: usage?.[0],
        usageMinutes: usage?.[1],
      })),
    });
  for (const pause of demo.breaks) await insertBreak(tx, clinic, { interval: [pause.from, pause.until], label: pause.label });
  for (const holiday of demo.holidays) await insertHoliday(tx, clinic, { date: addDays(today, holiday.day), name: holiday.name });
  for (const closure of demo.closures)
    await insertClosure(tx, clinic, { from: at(closure.from), until: at(closure.until), reason: closure.reason });
  for (const absence of demo.absences)
    await insertAbsence(tx, clinic, {
      doctorId: known(doctors, absence.doctor),
      from: at(absence.from),
      until: at(absence.until),
      reason: absence.reason,
    });
  for (const outage of demo.outages)
    await insertOutage(tx, clinic, {
      resourceId: known(equipment, outage.equipment).resourceId,
      from: at(outage.from),
      until: at(outage.until),
      units: outage.units,
      reason: outage.reason,
    });
  return clinic;
}

async function seedUsers(tx: Tx, groups: SeededGroup[]): Promise<void> {
  const password_hash = await hashPassword(DEMO_PASSWORD);
  for (const user of DEMO_USERS) {
    const group = groups[user.group];
    if (!group) continue;
    const id = newUuid();
    const of = { tenant_group_id: group.tenantGroupId };
    await insertRows(tx, "users", [
      { id, ...of, ref: newRef("ST"), email: user.email, name: user.name, password_hash, locale: user.locale },
    ]);
    const roles = user.roles.map(([role, clinic]) => ({
      id: newUuid(),
      ...of,
      user_id: id,
      role,
      clinic_id: clinic === undefined ? null : group.clinics[clinic]?.id,
    }));
    await insertRows(tx, "user_roles", roles);
  }
}

/** The booking client's token is the one that the demo prints; the portal's is known to nobody: the seed books in its name. */
async function seedApiClients(tx: Tx, group: SeededGroup, token: string): Promise<void> {
  const clients = [
    { ref: newRef("AC"), name: "Booking client", token, commands: tokenCommands },
    {
      ref: newRef("AC"),
      name: PORTAL,
      token: newUuid() + newUuid(),
      commands: tokenCommands.filter((command) => command !== "appointments:confirm"),
    },
  ];
  const of = { tenant_group_id: group.tenantGroupId };
  const clinic_ids = group.clinics.map(({ id }) => id);
  for (const client of clients) {
    const id = newUuid();
    await insertRows(tx, "api_clients", [{ id, ...of, ref: client.ref, name: client.name }]);
    const { commands } = client;
    await insertRows(tx, "api_tokens", [
      { id: newUuid(), ...of, api_client_id: id, token_hash: tokenHash(client.token), clinic_ids, commands },
    ]);
  }
}

function known<T>(map: Map<string, T>, name: string): T {
  const found = map.get(name);
  if (found === undefined) throw new Error(`the demo names ${name}, which it does not make`);
  return found;
}
