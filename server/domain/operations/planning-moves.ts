import type { Tx } from "@/db/client";
import type { MovesPage, MoveView, PlaceView } from "./planning-types";
import type { OperationsScope } from "./types";

type Stored = Omit<MoveView, "from" | "to" | "told"> & {
  fromDoctor: string;
  fromStartsAt: string;
  fromEquipment: string[];
  toDoctor: string | null;
  toStartsAt: string | null;
  toEquipment: string[];
  wasTold: boolean;
  toldAt: string | null;
  newToldAt: string | null;
};

/**
 * Before and after of a run's visits, in the order of the new times; `after` is the last position of the page before. Who was told is asked of the
 * messages: of the new place once the run's own message was sent, else of the old one. null: not in the scope. Two statements.
 */
export async function runMoves(tx: Tx, scope: OperationsScope, runId: string, after: number, limit: number): Promise<MovesPage | null> {
  const head = await readHead(tx, scope, runId);
  if (!head) return null;
  const rows = await tx.sql<Stored[]>`
    select m.position, m.appointment_id as "appointmentId", m.appointment_ref as "appointmentRef", m.kind, m.status, m.why_code as "whyCode",
      m.why_subject_ref as "whySubjectRef", m.why_from as "whyFrom", m.why_until as "whyUntil", m.was_told as "wasTold",
      before.ref as "fromDoctor", m.from_starts_at as "fromStartsAt", m.to_starts_at as "toStartsAt", later.ref as "toDoctor",
      ${refsOf(tx, tx.sql`m.from_equipment_ids`)} as "fromEquipment", ${refsOf(tx, tx.sql`m.to_equipment_ids`)} as "toEquipment",
      (select max(n.settled_at) from notification_intents n
        where n.tenant_group_id = m.tenant_group_id and n.appointment_id = m.appointment_id and n.state = 'SENT'
          and n.command_id is distinct from r.apply_command_id and n.created_at <= coalesce(r.applied_at, 'infinity')) as "toldAt",
      (select max(n.settled_at) from notification_intents n
        where n.tenant_group_id = m.tenant_group_id and n.appointment_id = m.appointment_id and n.state = 'SENT'
          and n.command_id = r.apply_command_id) as "newToldAt"
    from planning_run_moves m
    join planning_runs r on r.id = m.run_id
    join doctors before on before.id = m.from_doctor_id
    left join doctors later on later.id = m.to_doctor_id
    where m.run_id = ${runId} and m.position > ${after} and m.tenant_group_id = ${scope.tenantGroupId}
      and m.clinic_id = any (${[...scope.clinicIds]}::uuid[])
    order by m.position
    limit ${limit + 1}`;
  const page = rows.slice(0, limit);
  return { ...head, moves: page.map(toMove), next: rows.length > limit ? (page.at(-1)?.position ?? null) : null };
}

async function readHead(
  tx: Tx,
  scope: OperationsScope,
  runId: string,
): Promise<Pick<MovesPage, "ref" | "zone" | "counts" | "told"> | null> {
  const [run] = await tx.sql<
    {
      ref: string;
      zone: string;
      moves: number;
      unplaced: number;
      stays: number;
      visits: number;
      is_applied: boolean;
      sent: number;
      all: number;
    }[]
  >`
    select r.ref, c.zone, coalesce(r.moves, 0) as moves, coalesce(r.unplaced, 0) as unplaced, r.stays, coalesce(r.visits, 0) as visits, r.applied_at is not null as is_applied,
      messages.sent, messages.all
    from planning_runs r
    join clinics c on c.id = r.clinic_id
    cross join lateral (
      select count(*) filter (where n.state = 'SENT')::int as sent, count(*)::int as "all" from notification_intents n
      where n.command_id = r.apply_command_id and n.tenant_group_id = r.tenant_group_id) messages
    where r.id = ${runId} and r.tenant_group_id = ${scope.tenantGroupId} and r.clinic_id = any (${[...scope.clinicIds]}::uuid[])`;
  if (!run) return null;
  const { ref, zone, moves, unplaced, stays: affected, visits, is_applied, sent, all } = run;
  const counts = { moves, stay: Math.max(0, visits - moves - unplaced), affected, unplaced };
  return { ref, zone, counts, told: is_applied ? { sent, all } : null };
}

const refsOf = (tx: Tx, ids: ReturnType<Tx["sql"]>) => tx.sql`
  coalesce((select array_agg(e.ref order by used.position) from unnest(${ids}) with ordinality used (id, position) join equipment e on e.id = used.id), '{}')`;

function toMove({
  fromDoctor,
  fromStartsAt,
  fromEquipment,
  toDoctor,
  toStartsAt,
  toEquipment,
  wasTold,
  toldAt,
  newToldAt,
  ...move
}: Stored): MoveView {
  const place = (doctorRef: string, startsAt: string, equipmentRefs: string[]): PlaceView => ({ doctorRef, startsAt, equipmentRefs });
  return {
    ...move,
    from: place(fromDoctor, fromStartsAt, fromEquipment),
    to: toDoctor && toStartsAt ? place(toDoctor, toStartsAt, toEquipment) : null,
    told: newToldAt ? { of: "NEW", at: newToldAt } : wasTold ? { of: "OLD", at: toldAt } : null,
  };
}
