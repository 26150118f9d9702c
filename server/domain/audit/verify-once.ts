import { type Db, withRead, withTx } from "@/db/client";
import type { DigestRing } from "@/server/canonical-hash";
import type { Checkpoint } from "./checkpoint";
import { verifyChain } from "./verify-chain";

export type VerifyOnceDeps = {
  worker: string;
  ring: DigestRing;
  checkpoints: () => readonly Checkpoint[];
  everySeconds: number;
  onBatch?: () => void;
};

/**
 * Checks one chain: one that somebody asked for, else one that was not checked for `everySeconds`. A worker that dies over it leaves the request
 * open; another one reads the chain again, which changes nothing.
 */
export async function verifyOnce(db: Db, deps: VerifyOnceDeps): Promise<{ verified: number; faults: number }> {
  const due = await dueVerification(db, deps);
  if (!due) return { verified: 0, faults: 0 };
  const { throughSeq, checkpoints, fault } = await verifyChain(db, due.tenantGroupId, {
    actor: { worker: deps.worker, tenantGroupId: due.tenantGroupId },
    ring: deps.ring,
    checkpoints: deps.checkpoints(),
    onBatch: deps.onBatch,
  });
  const done = await withTx(
    db,
    { worker: deps.worker, tenantGroupId: due.tenantGroupId },
    (tx) => tx.sql`
      update audit_verifications
      set state = 'DONE', finished_at = clock_timestamp(), through_seq = ${throughSeq}, checkpoints = ${checkpoints}, fault = ${fault?.code ?? null},
        fault_seq = ${fault?.seq ?? null}
      where id = ${due.id} and tenant_group_id = ${due.tenantGroupId} and state = 'REQUESTED'
      returning id`,
  );
  return { verified: done.length, faults: done.length > 0 && fault ? 1 : 0 };
}

async function dueVerification(
  db: Db,
  { worker, everySeconds }: VerifyOnceDeps,
): Promise<{ id: string; tenantGroupId: string } | undefined> {
  const [due] = await withRead(
    db,
    { worker },
    (tx) => tx.sql<{ tenant_group_id: string; id: string | null }[]>`
      select g.id as tenant_group_id, open.id
      from tenant_groups g
      left join audit_verifications open on open.tenant_group_id = g.id and open.state = 'REQUESTED'
      left join lateral (
        select requested_at from audit_verifications v where v.tenant_group_id = g.id order by requested_at desc limit 1) last on true
      where open.id is not null
        or ((last.requested_at is null or last.requested_at < clock_timestamp() - make_interval(secs => ${everySeconds}))
          and exists (select from audit_seals s where s.tenant_group_id = g.id))
      order by open.id nulls last, last.requested_at nulls first
      limit 1`,
  );
  if (!due) return undefined;
  if (due.id) return { id: due.id, tenantGroupId: due.tenant_group_id };
  const [made] = await withTx(
    db,
    { worker, tenantGroupId: due.tenant_group_id },
    (tx) => tx.sql<{ id: string }[]>`
      insert into audit_verifications (tenant_group_id, requested_by)
      values (${due.tenant_group_id}, 'audit-sealer')
      on conflict (tenant_group_id) where state = 'REQUESTED' do nothing
      returning id`,
  );
  return made && { id: made.id, tenantGroupId: due.tenant_group_id };
}
