import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { Answer, CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { assessHours, type HoursChange, hoursKey } from "./assess-hours";
import { beginFactWrite, type FactChangeCall, publishFactChange, toFactCommand } from "./write-fact";

/**
 * Replaces the weekly hours of the clinic, or of one doctor (`call.factId` is whose they are). They are one thing with one version: rows that stay the
 * same are left alone, so that only what really changed is a change of the facts. Refuses (stored) version-stale and fact-invalid.
 */
export function changeHours(deps: CommandDeps, call: FactChangeCall, change: HoursChange): Promise<CommandAnswer> {
  return runCommand(deps, toFactCommand("changeHours", call, "hours"), async (tx, { commandId }): Promise<Answer> => {
    const { now } = await beginFactWrite(tx, call, commandId, "hours");
    const { doctor, hours, before, affected, version } = await assessHours(tx, call.actor, { clinicId: call.clinicId, change, now });
    if (version !== call.expectedVersion)
      throw new AppError("version-stale", undefined, { expectedVersion: call.expectedVersion, currentVersion: version });
    const doctorId = doctor?.id ?? null;
    await replaceRows(tx, call, doctorId, before.map(hoursKey), hours.map(hoursKey));
    const next = await raiseVersion(tx, call.clinicId, doctorId);
    const written = { fact: "HOURS", change: "CHANGED", factId: call.factId, doctorId, equipmentId: null, span: null } as const;
    const factVersion = await publishFactChange(tx, call, commandId, written);
    return {
      status: 200,
      body: { clinicId: call.clinicId, doctorId, version: next, hours, affected, factVersion, commandId },
      location: hoursPath(call.clinicId, doctorId),
      etag: `"${next}"`,
      audit: {
        act: "hours.changed",
        subjectType: "hours",
        subjectId: call.factId,
        details: { version: next, affected: affected.count, factVersion, ...(doctor ? { doctor: doctor.ref } : {}) },
        ...(call.actor.kind === "person" ? { role: "ADMIN" as const } : {}),
      },
    };
  });
}

export const hoursPath = (clinicId: string, doctorId: string | null): string =>
  `/api/v1/clinics/${clinicId}${doctorId ? `/doctors/${doctorId}` : ""}/hours`;

async function replaceRows(tx: Tx, { clinicId, actor }: FactChangeCall, doctorId: string | null, before: string[], after: string[]) {
  const [gone, come] = [without(before, after), without(after, before)];
  const rows = come.map((key) => {
    const [weekday, from, until] = key.split(" ");
    return { weekday: Number(weekday), from, until };
  });
  const keys = { tenant_group_id: actor.tenantGroupId, clinic_id: clinicId };
  if (doctorId === null) {
    if (gone.length > 0)
      await tx.sql`
        delete from clinic_hours
        where clinic_id = ${clinicId}
          and weekday || ' ' || to_char(opens, 'HH24:MI') || ' ' || to_char(closes, 'HH24:MI') = any (${gone}::text[])`;
    if (rows.length > 0)
      await tx.sql`insert into clinic_hours ${tx.sql(rows.map(({ weekday, from, until }) => ({ ...keys, weekday, opens: from, closes: until })))}`;
    return;
  }
  if (gone.length > 0)
    await tx.sql`
      delete from doctor_hours
      where clinic_id = ${clinicId} and doctor_id = ${doctorId}
        and weekday || ' ' || to_char(starts, 'HH24:MI') || ' ' || to_char(ends, 'HH24:MI') = any (${gone}::text[])`;
  if (rows.length > 0)
    await tx.sql`
      insert into doctor_hours
      ${tx.sql(rows.map(({ weekday, from, until }) => ({ ...keys, doctor_id: doctorId, weekday, starts: from, ends: until })))}`;
}

const without = (list: string[], others: string[]): string[] => list.filter((item) => !others.includes(item));

async function raiseVersion(tx: Tx, clinicId: string, doctorId: string | null): Promise<string> {
  const [row] = doctorId
    ? await tx.sql<{ version: string }[]>`
        update doctors set hours_version = hours_version + 1 where id = ${doctorId} and clinic_id = ${clinicId} returning hours_version::text as version`
    : await tx.sql<{ version: string }[]>`
        update clinics set hours_version = hours_version + 1 where id = ${clinicId} returning hours_version::text as version`;
  return row?.version as string;
}
