import { z } from "zod";
import { withRead } from "@/db/client";
import { changeHours } from "@/server/domain/clinics/change-hours";
import { missingForFacts } from "@/server/domain/clinics/fact-actions";
import { factKinds, factWish, hoursInput } from "@/server/domain/clinics/fact-types";
import { listFacts } from "@/server/domain/clinics/list-facts";
import { getHours, previewFact, previewHours } from "@/server/domain/clinics/preview-fact";
import { addFact, changeFact, endFact } from "@/server/domain/clinics/write-facts";
import type { CommandCall } from "@/server/domain/idempotency/types";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { depsOf, shown } from "../command-deps";
import { adminCommand, adminProcedure, frontDeskCommand, frontDeskProcedure, router, type TrpcContext } from "../trpc";

const uuid = z.uuid().regex(/^[0-9a-f-]{36}$/);
const version = z.string().regex(/^[1-9]\d{0,17}$/);
const kind = z.enum(factKinds);
/** null: the clinic's own. */
const doctorId = uuid.nullable();

/** Facts of one clinic, written at its desk: absences, closures, outages and breaks by FRONT_DESK, weekly hours by ADMIN. */
export const factsRouter = router({
  list: frontDeskProcedure
    .input(z.object({ fromDate: z.iso.date(), doctorId: uuid.nullish(), equipmentId: uuid.nullish() }))
    .query(async ({ ctx, input }) => {
      const asked = {
        clinicId: ctx.clinicId,
        fromDate: input.fromDate,
        doctorId: input.doctorId ?? undefined,
        equipmentId: input.equipmentId ?? undefined,
      };
      const listed = await withRead(ctx.db, ctx.actor, (tx) => listFacts(tx, ctx.actor, asked));
      return { ...listed, mayChangeHours: missingForFacts(ctx.actor, ctx.clinicId, "hours") === null };
    }),

  hours: frontDeskProcedure
    .input(z.object({ doctorId }))
    .query(({ ctx, input }) => withRead(ctx.db, ctx.actor, (tx) => getHours(tx, ctx.actor, ctx.clinicId, input.doctorId))),

  /** Which visits a fact would leave without a place; nothing is written. `factId`: the one that it would change. */
  preview: frontDeskProcedure
    .input(z.object({ fact: factWish, factId: uuid.nullish() }))
    .query(({ ctx, input }) =>
      withRead(ctx.db, ctx.actor, (tx) =>
        previewFact(tx, ctx.actor, { clinicId: ctx.clinicId, wish: input.fact, replaced: input.factId ?? undefined }),
      ),
    ),

  previewHours: adminProcedure
    .input(z.object({ doctorId, hours: hoursInput.shape.hours }))
    .query(({ ctx, input }) =>
      withRead(ctx.db, ctx.actor, (tx) =>
        previewHours(tx, ctx.actor, { clinicId: ctx.clinicId, change: { doctorId: input.doctorId, hours: input.hours } }),
      ),
    ),

  add: frontDeskCommand
    .input(z.object({ fact: factWish }))
    .mutation(async ({ ctx, input }) => shown(await addFact(depsOf(ctx), callOf(ctx, input.key, "fact"), input.fact))),

  change: frontDeskCommand
    .input(z.object({ factId: uuid, version, fact: factWish }))
    .mutation(async ({ ctx, input }) =>
      shown(
        await changeFact(
          depsOf(ctx),
          { ...callOf(ctx, input.key, "fact"), factId: input.factId, expectedVersion: input.version },
          input.fact,
        ),
      ),
    ),

  end: frontDeskCommand
    .input(z.object({ factId: uuid, version, kind }))
    .mutation(async ({ ctx, input }) =>
      shown(
        await endFact(depsOf(ctx), { ...callOf(ctx, input.key, "kind"), factId: input.factId, expectedVersion: input.version }, input.kind),
      ),
    ),

  changeHours: adminCommand
    .input(z.object({ doctorId, version, week: hoursInput }))
    .mutation(async ({ ctx, input }) =>
      shown(
        await changeHours(
          depsOf(ctx),
          { ...callOf(ctx, input.key, "week"), factId: input.doctorId ?? ctx.clinicId, expectedVersion: input.version },
          { doctorId: input.doctorId, hours: input.week.hours },
        ),
      ),
    ),
});

type FactContext = TrpcContext & { actor: SignedInPerson; clinicId: string; sent: Record<string, unknown> };

const callOf = (
  { actor, clinicId, requestId, traceparent, sent }: FactContext,
  key: string,
  part: "fact" | "kind" | "week",
): CommandCall => ({
  actor,
  clinicId,
  key,
  requestId,
  traceparent,
  method: "MUTATION",
  body: sent[part],
});
