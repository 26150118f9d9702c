import { existsSync, readFileSync } from "node:fs";
import { type Db, withRead } from "@/db/client";
import { parseDigestKeys } from "@/server/canonical-hash";
import { type Checkpoint, readCheckpoints } from "@/server/domain/audit/checkpoint";
import { verifyChain } from "@/server/domain/audit/verify-chain";

export type AuditVerdict = { lines: string[]; isWhole: boolean };

/**
 * npm run ops -- audit verify: reads the chain of one tenant group, or of all, from its first entry, with the checkpoints of a file or a log.
 * Reads only. Throws when a named file or the keys are not there: a check that could not be made is no verdict.
 */
export async function verifyAudit(
  db: Db,
  wanted: { tenantRef?: string; checkpointFile?: string; digestKeys: string | undefined },
): Promise<AuditVerdict> {
  if (!wanted.digestKeys) throw new Error("DIGEST_KEYS is not set: without the keys of the product no digest can be compared");
  const ring = parseDigestKeys(wanted.digestKeys);
  const checkpoints = readFile(wanted.checkpointFile);
  const groups = await withRead(
    db,
    {},
    (tx) => tx.sql<{ id: string; ref: string; unsealed: number }[]>`
      select id, ref, (select count(*)::int from audit_entries e where e.tenant_group_id = g.id and e.sealed_seq is null) as unsealed
      from tenant_groups g
      where ref = ${wanted.tenantRef ?? null}::text or ${wanted.tenantRef ?? null}::text is null
      order by ref`,
  );
  if (groups.length === 0) throw new Error(`there is no tenant group ${wanted.tenantRef ?? ""}`);
  const verdict: AuditVerdict = { lines: [], isWhole: true };
  for (const { id, ref, unsealed } of groups) {
    const { throughSeq, fault, checkpoints: compared } = await verifyChain(db, id, { actor: {}, ring, checkpoints });
    const rest = unsealed > 0 ? `, ${unsealed} not sealed yet` : "";
    verdict.lines.push(
      fault
        ? `${ref}  BROKEN at ${fault.seq}: ${fault.code}; whole through ${throughSeq}${rest}`
        : `${ref}  whole through ${throughSeq}, ${compared} checkpoints compared${rest}`,
    );
    if (fault) verdict.isWhole = false;
  }
  if (checkpoints.length === 0)
    verdict.lines.push("No checkpoint was given: a cut tail cannot be seen. --checkpoints names a file of them, or a log.");
  return verdict;
}

function readFile(file: string | undefined): Checkpoint[] {
  if (!file) return [];
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  const read = readCheckpoints(readFileSync(file, "utf8"));
  if (read.length === 0) throw new Error(`${file} holds no checkpoint`);
  return read;
}
