import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { assessFact } from "./assess-fact";
import { assessHours, type HoursChange } from "./assess-hours";
import { readFact, toFactView } from "./fact-rows";
import type { AffectedView, FactKind, FactView, FactWish, HoursView } from "./fact-types";
import { loadClinicFacts } from "./load-facts";
import type { Scope } from "./types";

/** Which visits a fact would leave without a place if it were saved now; nothing is written. Refuses what the command would refuse. */
export async function previewFact(
  tx: Tx,
  scope: Scope,
  asked: { clinicId: string; wish: FactWish; replaced?: string | undefined },
): Promise<AffectedView> {
  if (asked.replaced !== undefined && !(await readFact(tx, scope, { ...asked, kind: asked.wish.kind, factId: asked.replaced })))
    throw new AppError("not-found");
  return (await assessFact(tx, scope, { ...asked, now: await nowOf(tx) })).affected;
}

/** The same of weekly hours. */
export async function previewHours(tx: Tx, scope: Scope, asked: { clinicId: string; change: HoursChange }): Promise<AffectedView> {
  return (await assessHours(tx, scope, { ...asked, now: await nowOf(tx) })).affected;
}

/** One fact with its version. Throws AppError not-found. */
export async function getFact(tx: Tx, scope: Scope, asked: { clinicId: string; kind: FactKind; factId: string }): Promise<FactView> {
  const row = await readFact(tx, scope, asked);
  if (!row) throw new AppError("not-found");
  return toFactView(asked.clinicId, row);
}

/** Weekly hours of the clinic or of one doctor, with their version. Throws AppError not-found. */
export async function getHours(tx: Tx, scope: Scope, clinicId: string, doctorId: string | null): Promise<HoursView> {
  const facts = await loadClinicFacts(tx, scope, { clinicId, from: 0, until: 1, withoutClaims: true });
  const doctor = doctorId === null ? null : facts?.doctors.find(({ id }) => id === doctorId);
  if (!facts || doctor === undefined) throw new AppError("not-found");
  const { hours, version } = doctor
    ? { hours: doctor.shifts, version: doctor.hoursVersion }
    : { hours: facts.hours, version: facts.clinic.hoursVersion };
  return { clinicId, doctorId, version, hours };
}

async function nowOf(tx: Tx): Promise<number> {
  const [row] = await tx.sql<{ now: number }[]>`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now`;
  return row?.now as number;
}
