// Procedures that name what they guarantee. A router builds on one of these and on nothing else: a test enumerates all procedures and tries each.
import { initTRPC, TRPCError } from "@trpc/server";
import superjson from "superjson";
import { z } from "zod";
import type { Db } from "@/db/client";
import { AppError } from "@/server/app-error";
import type { Clock } from "@/server/clock";
import { notedRefusals } from "@/server/domain/audit/noted-refusals";
import { clinicsWithRole, hasRole, type Role } from "@/server/domain/scope/actor";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import type { WebEnv } from "@/server/env";
import { toAppError } from "@/server/http/to-app-error";
import { auditRefusal } from "./audit-refusal";
import { type CallOutcome, observeCall } from "./observe-call";
import { problemOf, trpcCode } from "./problem-of";

export type TrpcContext = {
  db: Db;
  clock: Clock;
  env: WebEnv;
  requestId: string;
  /** W3C trace context of the HTTP request, or of a new trace; left out where there is none. */
  traceparent?: string | undefined;
  /** Roles of this moment; undefined: signed out. */
  actor: SignedInPerson | undefined;
  /** Calls in this HTTP request. */
  batchSize: number;
};

/** What a procedure promises to have checked before its resolver runs. */
export type Guarantee = {
  guarantee: "SIGNED_IN" | "CLINIC" | Role;
  /** The input carries an idempotency key, and the call travels alone. */
  keyed?: true;
};

/** What a caller sends beside the value says how to revive it; a note that cannot be followed is a wrong input, no fault of ours. */
const transformer = {
  input: {
    serialize: superjson.serialize,
    deserialize: (sent: unknown) => {
      try {
        return superjson.deserialize(sent as never);
      } catch {
        throw new AppError("request-invalid", "The input cannot be read.");
      }
    },
  },
  output: superjson,
};

const t = initTRPC
  .context<TrpcContext>()
  .meta<Guarantee>()
  .create({
    transformer,
    isDev: false, // a stack trace is nobody's business, in development neither
    errorFormatter: ({ shape, error, ctx }) => {
      const problem = problemOf(error, ctx?.requestId);
      return { ...shape, message: problem.title, data: { code: shape.data.code, httpStatus: shape.data.httpStatus, problem } };
    },
  });

export const { router, createCallerFactory } = t;

/** Every error gets the stable code and the HTTP status that the API would give it. */
const withKnownErrors = t.middleware(async ({ ctx, next, path }) => {
  const startedMs = ctx.clock.monotonicMs();
  const observe = (outcome: CallOutcome) => observeCall(path, outcome, (ctx.clock.monotonicMs() - startedMs) / 1_000);
  const result = await next();
  if (result.ok) {
    observe("ok");
    return result;
  }
  const known = toAppError(result.error.cause ?? result.error);
  observe(known.status >= 500 ? "failed" : "refused");
  const cause = known.code === "internal-error" ? result.error.cause : known; // the log still needs what really happened
  return { ...result, error: new TRPCError({ code: trpcCode(known.status), message: known.code, cause }) };
});

export const signedInProcedure = t.procedure
  .meta({ guarantee: "SIGNED_IN" })
  .use(withKnownErrors)
  .use(({ ctx, next }) => {
    if (!ctx.actor) throw new AppError("signed-out");
    return next({ ctx: { ...ctx, actor: ctx.actor } });
  })
  .use(async ({ ctx, next, path, type }) => {
    const result = await next();
    const refusal = result.ok ? undefined : result.error.cause;
    if (refusal instanceof AppError && isUnaudited(refusal, type)) await audited(ctx, path, refusal);
    return result;
  });

/** A right that the domain found missing, or a change of something that is not the person's. A read of what is gone happens on every old screen. */
const isUnaudited = (refusal: AppError, type: string): boolean =>
  !notedRefusals.has(refusal) && (refusal.code === "right-missing" || (refusal.code === "not-found" && type === "mutation"));

/** A clinic by its id or its short reference. */
const clinicName = z.string().min(1).max(40);

/** The clinic is one of the person's; one of somebody else is answered like one that does not exist. `ctx.actor` sees that clinic only. */
export const clinicProcedure = signedInProcedure
  .meta({ guarantee: "CLINIC" })
  .input(z.object({ clinicId: clinicName }))
  .use(async ({ ctx, input, next, path }) => {
    const clinicId = clinicNamed(ctx.actor, input.clinicId);
    if (!clinicId) return outOfScope(ctx, path);
    return next({ ctx: { ...ctx, clinicId, actor: narrowed(ctx.actor, [clinicId]) } });
  });

/** Desk screens and commands of one clinic, with patients by name. */
export const frontDeskProcedure = withRole("FRONT_DESK");
export const replayOperatorProcedure = withRole("APPOINTMENT_REPLAY_OPERATOR");
export const adminProcedure = withRole("ADMIN");

/**
 * Operations screens: no names, no payloads. `clinic` is an id or short reference; without it, all clinics in which the person is STAFF.
 * `ctx.scope` is what may be read, and `ctx.actor` sees nothing else.
 */
export const staffProcedure = signedInProcedure
  .meta({ guarantee: "STAFF" })
  .input(z.object({ clinic: clinicName.optional() }))
  .use(async ({ ctx, input, next, path }) => {
    const clinicId = input.clinic === undefined ? undefined : clinicNamed(ctx.actor, input.clinic);
    if (input.clinic !== undefined && !clinicId) return outOfScope(ctx, path);
    const clinicIds = clinicsWithRole(ctx.actor, "STAFF").filter((id) => clinicId === undefined || id === clinicId);
    if (clinicIds.length === 0) return rightMissing(ctx, path, "STAFF", clinicId);
    const scope = { tenantGroupId: ctx.actor.tenantGroupId, clinicIds };
    return next({ ctx: { ...ctx, scope, actor: narrowed(ctx.actor, clinicIds) } });
  });

/** 16 to 255 printable ASCII characters without a comma: the format of the Idempotency-Key header. */
const keyInput = z.object({
  key: z.string().regex(/^[\x21-\x2b\x2d-\x7e]{16,255}$/, "needs 16 to 255 printable characters without a comma"),
});

/** A key names one command, so its call travels alone: the loss of an answer is then the loss of one answer. */
const alone = t.middleware(({ ctx, next }) => {
  if (ctx.batchSize > 1) throw new AppError("request-invalid", "A command with a key is sent alone, not in a batch.");
  return next();
});

/** `ctx.sent`: the input as it came, before defaults. The fingerprint of a command covers this, so a default added later makes no other command of it. */
const withSentInput = t.middleware(async ({ getRawInput, next }) =>
  next({ ctx: { sent: (await getRawInput()) as Record<string, unknown> } }),
);

/** For acts that more than one role may take: the domain names the right that is missing. */
export const clinicCommand = clinicProcedure.meta({ guarantee: "CLINIC", keyed: true }).use(alone).input(keyInput).use(withSentInput);
export const frontDeskCommand = frontDeskProcedure
  .meta({ guarantee: "FRONT_DESK", keyed: true })
  .use(alone)
  .input(keyInput)
  .use(withSentInput);
/** Acts of STAFF on what one clinic's deliveries left. */
export const staffCommand = withRole("STAFF").meta({ guarantee: "STAFF", keyed: true }).use(alone).input(keyInput).use(withSentInput);
export const replayOperatorCommand = replayOperatorProcedure
  .meta({ guarantee: "APPOINTMENT_REPLAY_OPERATOR", keyed: true })
  .use(alone)
  .input(keyInput)
  .use(withSentInput);
export const adminCommand = adminProcedure.meta({ guarantee: "ADMIN", keyed: true }).use(alone).input(keyInput).use(withSentInput);

function withRole(role: Role) {
  return clinicProcedure.meta({ guarantee: role }).use(({ ctx, next, path }) => {
    if (!hasRole(ctx.actor, role, ctx.clinicId)) return rightMissing(ctx, path, role, ctx.clinicId);
    return next({ ctx });
  });
}

type SignedIn = TrpcContext & { actor: SignedInPerson };

function clinicNamed(actor: SignedInPerson, name: string): string | undefined {
  return actor.clinicIds.find((id, i) => id === name || actor.clinicRefs[i] === name);
}

/** Row-level security then holds the same line as the procedure. */
function narrowed(actor: SignedInPerson, clinicIds: string[]): SignedInPerson {
  return { ...actor, clinicIds, clinicRefs: clinicIds.map((id) => actor.clinicRefs[actor.clinicIds.indexOf(id)] as string) };
}

function outOfScope(ctx: SignedIn, operation: string): Promise<never> {
  return refuse(ctx, operation, new AppError("not-found"));
}

function rightMissing(ctx: SignedIn, operation: string, right: Role, clinicId: string | undefined): Promise<never> {
  return refuse(ctx, operation, new AppError("right-missing", `This needs the right ${right}.`, { right }), clinicId);
}

async function refuse(ctx: SignedIn, operation: string, refusal: AppError, clinicId?: string): Promise<never> {
  await audited(ctx, operation, refusal, clinicId);
  throw refusal;
}

async function audited(ctx: SignedIn, operation: string, refusal: AppError, clinicId?: string): Promise<void> {
  const right = typeof refusal.extra.right === "string" ? refusal.extra.right : undefined;
  const reasonCode = refusal.code === "right-missing" ? "RIGHT_MISSING" : "OUT_OF_SCOPE";
  await auditRefusal(ctx.db, ctx.actor, { operation, reasonCode, right, clinicId });
  notedRefusals.add(refusal);
}
