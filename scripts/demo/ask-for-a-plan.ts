import { closeDb, type Db, openDb, withTx } from "@/db/client";
import { parseDigestKeys } from "@/server/canonical-hash";
import { addDays, localAt } from "@/server/domain/clinics/local-time";
import { addFact } from "@/server/domain/clinics/write-facts";
import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { requestRun } from "@/server/domain/planning/request-run";
import type { PersonActor } from "@/server/domain/scope/actor";
import { loadActor } from "@/server/domain/scope/load-actor";
import { newUuid } from "@/server/ids";

type Options = { migrator: Db; webUrl: string; digestKeys: string };
/** The desk that does so, and its clinic. */
const DESK = "desk@harbour.example";

/**
 * A doctor of the first clinic is away on a coming day, entered by the desk, and the desk asks for new times: the planning screen of a new demo has a
 * plan to look at. Both are the real commands; the workers calculate it. Does nothing when a run was asked for before.
 * @returns how many visits the absence leaves without a place; undefined: it was done already, or nobody has visits
 */
export async function askForAPlan(options: Options): Promise<number | undefined> {
  const wish = await findAbsence(options.migrator);
  if (!wish) return undefined;
  const web = openDb(options.webUrl, { max: 2, applicationName: "demo-seed" });
  try {
    const deps: CommandDeps = { db: web, digestKeys: parseDigestKeys(options.digestKeys), retentionHours: 24, waitMs: 2_000 };
    const actor = (await loadActor(web, { tenantGroupId: wish.tenantGroupId, userId: wish.userId })) as PersonActor;
    const call = (body: unknown) => ({
      actor,
      clinicId: wish.clinicId,
      key: newUuid(),
      requestId: newUuid(),
      method: "MUTATION" as const,
      body,
    });
    const input = { doctorId: wish.doctorId, from: wish.date, until: wish.date, reason: "Training" };
    const added = made(await addFact(deps, call(input), { kind: "absence", input }));
    const range = { fromDate: wish.date, untilDate: addDays(wish.date, 2), chosenIds: [] };
    made(await requestRun(deps, call(range), range, "DESK"));
    return (JSON.parse(added.body) as { affected: { count: number } }).affected.count;
  } finally {
    await closeDb(web);
  }
}

function made(answer: CommandAnswer): CommandAnswer {
  if (answer.status !== 201) throw new Error(`the demo's plan was refused with ${answer.status}`);
  return answer;
}

type Absence = { tenantGroupId: string; clinicId: string; userId: string; doctorId: string; date: string };

/** The doctor with most visits on one of the days after tomorrow; nothing when a run is there. */
async function findAbsence(migrator: Db): Promise<Absence | undefined> {
  const desk = await withTx(migrator, {}, async (tx) => {
    const [row] = await tx.sql<{ tenant_group_id: string; clinic_id: string; user_id: string; zone: string }[]>`
      select u.tenant_group_id, r.clinic_id, u.id as user_id, c.zone
      from users u
      join user_roles r on r.user_id = u.id and r.role = 'FRONT_DESK'
      join clinics c on c.id = r.clinic_id
      where u.email = ${DESK}`;
    return row;
  });
  if (!desk) return undefined;
  const first = addDays(localAt(desk.zone, Date.now()).date, 2);
  return withTx(migrator, { tenantGroupId: desk.tenant_group_id, clinicIds: [desk.clinic_id] }, async (tx) => {
    const [busiest] = await tx.sql<{ doctor_id: string; date: string }[]>`
      select a.doctor_id, (a.starts_at at time zone ${desk.zone})::date::text as date
      from appointments a
      where a.clinic_id = ${desk.clinic_id} and a.status in ('REQUESTED', 'CONFIRMED')
        and (a.starts_at at time zone ${desk.zone})::date between ${first}::date and ${addDays(first, 4)}::date
        and not exists (select from planning_runs p where p.clinic_id = ${desk.clinic_id})
      group by 1, 2
      order by count(*) desc, 2, 1
      limit 1`;
    return (
      busiest && {
        tenantGroupId: desk.tenant_group_id,
        clinicId: desk.clinic_id,
        userId: desk.user_id,
        doctorId: busiest.doctor_id,
        date: busiest.date,
      }
    );
  });
}
