import { z } from "zod";
import { withRead, withTx } from "@/db/client";
import { requestVerification } from "@/server/domain/audit/request-verification";
import { auditChain } from "@/server/domain/operations/audit-chain";
import { auditEntry } from "@/server/domain/operations/audit-entry";
import { exportAudit } from "@/server/domain/operations/audit-export";
import { auditActs, countAudit, listAudit } from "@/server/domain/operations/audit-list";
import { auditScope } from "@/server/domain/operations/audit-scope";
import { auditCursor, auditExportFormats, auditFilter } from "@/server/domain/operations/audit-types";
import { router, staffProcedure } from "../trpc";

const pageSize = 50;
const filtered = staffProcedure.input(z.object({ filter: auditFilter.prefault({}) }));

/** Who did what. Reading, but for asking for a check and for an export, which are entries themselves. */
export const auditRouter = router({
  list: filtered.input(z.object({ cursor: auditCursor.nullish() })).query(({ ctx: { db, actor, scope, env }, input }) =>
    withRead(db, actor, async (tx) => {
      const within = await auditScope(tx, scope, input.clinic);
      return listAudit(tx, within, input.filter, input.cursor ?? null, pageSize, env.DIGEST_KEYS);
    }),
  ),

  count: filtered.query(({ ctx: { db, actor, scope }, input }) =>
    withRead(db, actor, async (tx) => countAudit(tx, await auditScope(tx, scope, input.clinic), input.filter)),
  ),

  acts: staffProcedure.query(({ ctx: { db, actor, scope }, input }) =>
    withRead(db, actor, async (tx) => auditActs(tx, await auditScope(tx, scope, input.clinic))),
  ),

  /** null: not in the reader's clinics. */
  entry: staffProcedure
    .input(z.object({ id: z.uuid() }))
    .query(({ ctx: { db, actor, scope, env }, input }) =>
      withRead(db, actor, async (tx) => auditEntry(tx, await auditScope(tx, scope, input.clinic), input.id, env.DIGEST_KEYS)),
    ),

  chain: staffProcedure.query(({ ctx: { db, actor, scope }, input }) =>
    withRead(db, actor, async (tx) => auditChain(tx, await auditScope(tx, scope, input.clinic))),
  ),

  /** The sealer checks, because it sees entries of all clinics; `chain` tells when it has. */
  verify: staffProcedure.mutation(({ ctx: { db, actor } }) => withTx(db, actor, (tx) => requestVerification(tx, actor))),

  export: filtered.input(z.object({ format: z.enum(auditExportFormats) })).mutation(({ ctx: { db, actor, scope, env }, input }) => {
    const { clinic, filter, format } = input;
    return exportAudit(db, actor, scope, { clinic, filter, format }, env.DIGEST_KEYS);
  }),
});
