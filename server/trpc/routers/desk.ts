import { z } from "zod";
import { withRead } from "@/db/client";
import { AppError } from "@/server/app-error";
import { cancelAppointment } from "@/server/domain/appointments/cancel-appointment";
import { changeStatus } from "@/server/domain/appointments/change-status";
import type { ChangeCall, CommandCall } from "@/server/domain/appointments/command-call";
import { createAppointment } from "@/server/domain/appointments/create-appointment";
import { dailyLoad } from "@/server/domain/appointments/daily-load-query";
import { appointmentHistory } from "@/server/domain/appointments/history";
import { rescheduleAppointment } from "@/server/domain/appointments/reschedule-appointment";
import * as types from "@/server/domain/appointments/types";
import { listSlots, slotDaysMax } from "@/server/domain/clinics/list-slots";
import { lookUpCommand } from "@/server/domain/idempotency/look-up-command";
import { checkStart } from "@/server/domain/operations/check-start";
import { deskDay } from "@/server/domain/operations/desk-day";
import { deskWeek } from "@/server/domain/operations/desk-week";
import { findVisits } from "@/server/domain/operations/find-visits";
import { addPatient } from "@/server/domain/patients/add-patient";
import { findPatients } from "@/server/domain/patients/find-patients";
import { getPatient } from "@/server/domain/patients/get-patient";
import { newPatient } from "@/server/domain/patients/types";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { type AnswerBody, depsOf, shown } from "../command-deps";
import { frontDeskCommand, frontDeskProcedure, router, type TrpcContext } from "../trpc";

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const changeInput = z.object({ appointmentId: types.uuid, version: z.string().regex(/^[1-9]\d{0,17}$/) });

/** The desk of one clinic. Every change carries the key that the browser made and kept before it first sent it. */
export const deskRouter = router({
  day: frontDeskProcedure.input(z.object({ date: date.nullish() })).query(async ({ ctx, input }) => {
    const day = await withRead(ctx.db, ctx.actor, async (tx) => {
      const found = await deskDay(tx, ctx.actor, { clinicId: ctx.clinicId, date: input.date ?? null }, ctx.clock);
      const [load = null] = found ? await dailyLoad(tx, ctx.actor, ctx.clinicId, found.date, found.date) : [];
      return found && { ...found, load };
    });
    if (!day) throw new AppError("not-found");
    return { ...day, keyRetentionHours: ctx.env.IDEMPOTENCY_RETENTION_HOURS };
  }),

  week: frontDeskProcedure.input(z.object({ date: date.nullish() })).query(async ({ ctx, input }) => {
    const week = await withRead(ctx.db, ctx.actor, (tx) =>
      deskWeek(tx, ctx.actor, { clinicId: ctx.clinicId, date: input.date ?? null }, ctx.clock),
    );
    if (!week) throw new AppError("not-found");
    return week;
  }),

  /** Whether a wished time can be booked and what blocks it, by name. Nothing is held. */
  check: frontDeskProcedure
    .input(
      z.object({
        treatmentId: types.uuid,
        doctorId: types.uuid.nullish(),
        patientId: types.uuid.nullish(),
        ignoreAppointmentId: types.uuid.nullish(),
        local: z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/),
        utcOffset: z
          .string()
          .regex(/^[+-]\d{2}:\d{2}$/)
          .nullish(),
      }),
    )
    .query(({ ctx, input }) =>
      withRead(ctx.db, ctx.actor, (tx) =>
        checkStart(tx, ctx.actor, {
          clinicId: ctx.clinicId,
          treatmentId: input.treatmentId,
          doctorId: input.doctorId ?? undefined,
          patientId: input.patientId ?? undefined,
          ignoreAppointmentId: input.ignoreAppointmentId ?? undefined,
          local: input.local,
          utcOffset: input.utcOffset ?? undefined,
        }),
      ),
    ),

  slots: frontDeskProcedure
    .input(
      z.object({
        treatmentId: types.uuid,
        doctorId: types.uuid.nullish(),
        patientId: types.uuid.nullish(),
        ignoreAppointmentId: types.uuid.nullish(),
        fromDate: date,
        days: z.int().min(1).max(slotDaysMax),
      }),
    )
    .query(({ ctx, input }) =>
      withRead(ctx.db, ctx.actor, (tx) =>
        listSlots(tx, ctx.actor, {
          clinicId: ctx.clinicId,
          treatmentId: input.treatmentId,
          doctorId: input.doctorId ?? undefined,
          patientId: input.patientId ?? undefined,
          ignoreAppointmentId: input.ignoreAppointmentId ?? undefined,
          fromDate: input.fromDate,
          days: input.days,
        }),
      ),
    ),

  findPatients: frontDeskProcedure
    .input(z.object({ query: z.string().max(100) }))
    .query(({ ctx, input }) => findPatients(ctx.db, ctx.actor, input.query)),

  /** Visits by reference: APT- of the visit, PT- of the patient. */
  findVisits: frontDeskProcedure
    .input(z.object({ text: z.string().trim().min(1).max(200) }))
    .query(({ ctx, input }) =>
      withRead(ctx.db, ctx.actor, (tx) => findVisits(tx, { tenantGroupId: ctx.actor.tenantGroupId, clinicId: ctx.clinicId }, input.text)),
    ),

  patient: frontDeskProcedure
    .input(z.object({ patientId: types.uuid }))
    .query(({ ctx, input }) => getPatient(ctx.db, ctx.actor, input.patientId)),

  history: frontDeskProcedure
    .input(z.object({ appointmentId: types.uuid }))
    .query(({ ctx, input }) => appointmentHistory(ctx.db, ctx.actor, ctx.clinicId, input.appointmentId)),

  /** "What became of the command I sent under this key?" null: no answer is stored, so sending it again is safe. */
  lookUp: frontDeskProcedure.input(z.object({ key: z.string().max(255) })).query(async ({ ctx, input }) => {
    const found = await lookUpCommand(ctx.db, ctx.actor, ctx.clinicId, input.key).catch((error) => {
      if (error instanceof AppError && error.code === "not-found") return null;
      throw error;
    });
    return found && { status: found.answer.status, body: found.answer.body as AnswerBody, expiresAt: found.expiresAt, calls: found.calls };
  }),

  addPatient: frontDeskCommand
    .input(z.object({ patient: newPatient }))
    .mutation(async ({ ctx, input }) => shown(await addPatient(depsOf(ctx), callOf(ctx, input.key, "patient"), input.patient))),

  book: frontDeskCommand
    .input(z.object({ visit: types.createAppointment }))
    .mutation(async ({ ctx, input }) => shown(await createAppointment(depsOf(ctx), callOf(ctx, input.key, "visit"), input.visit))),

  reschedule: frontDeskCommand
    .input(changeInput.extend({ change: types.rescheduleAppointment }))
    .mutation(async ({ ctx, input }) => shown(await rescheduleAppointment(depsOf(ctx), changeOf(ctx, input), input.change))),

  cancel: frontDeskCommand
    .input(changeInput.extend({ change: types.cancelAppointment }))
    .mutation(async ({ ctx, input }) => shown(await cancelAppointment(depsOf(ctx), changeOf(ctx, input), input.change))),

  changeStatus: frontDeskCommand
    .input(changeInput.extend({ change: types.changeStatus }))
    .mutation(async ({ ctx, input }) => shown(await changeStatus(depsOf(ctx), changeOf(ctx, input), input.change))),
});

type DeskContext = TrpcContext & { actor: SignedInPerson; clinicId: string; sent: Record<string, unknown> };

const callOf = (
  { actor, clinicId, requestId, traceparent, sent }: DeskContext,
  key: string,
  part: "patient" | "visit" | "change",
): CommandCall => ({
  actor,
  clinicId,
  key,
  requestId,
  traceparent,
  method: "MUTATION",
  body: sent[part],
});

const changeOf = (ctx: DeskContext, input: { key: string; appointmentId: string; version: string }): ChangeCall => ({
  ...callOf(ctx, input.key, "change"),
  appointmentId: input.appointmentId,
  expectedVersion: input.version,
});
