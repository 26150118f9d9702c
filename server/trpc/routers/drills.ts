import { z } from "zod";
import { withRead } from "@/db/client";
import { type DrillName, drillEntry, drillNames, pageDrills } from "@/server/domain/drills/catalog";
import { mayStart, mayStop } from "@/server/domain/drills/next-actions";
import { listLatestRuns, listRunsOf, readOpenRun } from "@/server/domain/drills/read-runs";
import { byPeople, recordByPeople } from "@/server/domain/drills/record-by-people";
import { type DrillCall, startDrill } from "@/server/domain/drills/start-drill";
import { stopDrill } from "@/server/domain/drills/stop-drill";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { depsOf, shown } from "../command-deps";
import { router, staffCommand, staffProcedure, type TrpcContext } from "../trpc";

const runsShown = 10;
const anyDrill = z.enum(drillNames as [DrillName, ...DrillName[]]);

/** Failures that are practised: what there is, how the last run ended, and the acts of STAFF. Runs belong to the tenant group, acts to a clinic. */
export const drillsRouter = router({
  /** Every drill with its last run, and what this person may do about it now. */
  list: staffProcedure.query(({ ctx: { db, actor, scope } }) =>
    withRead(db, actor, async (tx) => {
      const { runs, asOf } = await listLatestRuns(tx, scope.tenantGroupId);
      const open = await readOpenRun(tx, scope.tenantGroupId);
      const clinicId = scope.clinicIds[0] as string; // any clinic in which the person is STAFF: a drill works in none of them
      const drills = drillNames.map((name) => {
        const run = runs.find(({ drill }) => drill === name) ?? null;
        return {
          name,
          ...drillEntry(name),
          run,
          start: mayStart(actor, clinicId, name, open),
          stop: run && mayStop(actor, clinicId, run),
        };
      });
      return { drills, clinicId, asOf };
    }),
  ),

  /** Earlier runs of one drill, newest first. */
  runs: staffProcedure
    .input(z.object({ drill: anyDrill }))
    .query(({ ctx: { db, actor, scope }, input }) =>
      withRead(db, actor, (tx) => listRunsOf(tx, scope.tenantGroupId, input.drill, runsShown)),
    ),

  start: staffCommand
    .input(z.object({ drill: z.enum(pageDrills) }))
    .mutation(async ({ ctx, input }) => shown(await startDrill(depsOf(ctx), callOf(ctx, input.key), input.drill))),

  stop: staffCommand
    .input(z.object({ run: z.uuid() }))
    .mutation(async ({ ctx, input }) => shown(await stopDrill(depsOf(ctx), callOf(ctx, input.key), input.run))),

  /** That people carried one out, with the runbook in hand. */
  record: staffCommand
    .input(z.object({ drill: anyDrill, change: byPeople }))
    .mutation(async ({ ctx, input }) => shown(await recordByPeople(depsOf(ctx), callOf(ctx, input.key), input.drill, input.change))),
});

type ActContext = TrpcContext & { actor: SignedInPerson; clinicId: string; sent: Record<string, unknown> };

const callOf = ({ actor, clinicId, requestId, sent }: ActContext, key: string): DrillCall => ({
  actor,
  clinicId,
  key,
  requestId,
  method: "MUTATION",
  body: sent.change ?? {},
});
