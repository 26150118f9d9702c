import type { Guard } from "./guard";

const situations = "server/http/operations/situations.db.test.ts";
const procedures = "server/trpc/procedures.db.test.ts";

/** What keeps people and callers to what is theirs. */
export const edgeGuards: Guard[] = [
  {
    name: "scope of a token",
    code: [{ file: "server/http/operations/authorize.ts", find: "if (!actor.clinicIds.includes(clinicId))", put: "if (!clinicId)" }],
    killer: { file: situations, test: "another clinic or tenant in the path: 404 before any key is looked at, audited" },
  },
  {
    name: "rights before the key",
    code: [{ file: "server/http/operations/authorize.ts", find: "if (!mayCommand(actor, right))", put: "if (!right)" }],
    killer: {
      file: situations,
      test: "a missing right: 403 naming it, also for a known key, audited; a revoked token gets nothing at all",
    },
  },
  {
    name: "signed in",
    code: [{ file: "server/trpc/trpc.ts", find: 'if (!ctx.actor) throw new AppError("signed-out");', put: "" }],
    killer: { file: procedures, test: "refuses who is not signed in" },
  },
  {
    name: "role in the clinic",
    code: [{ file: "server/trpc/trpc.ts", find: "if (!hasRole(ctx.actor, role, ctx.clinicId))", put: "if (!role)" }],
    killer: { file: procedures, test: "refuses who has every right but this one, by its name" },
  },
  {
    name: "a keyed call travels alone",
    code: [{ file: "server/trpc/trpc.ts", find: "if (ctx.batchSize > 1)", put: "if (ctx.batchSize > 1e9)" }],
    killer: { file: procedures, test: "with a key is not answered in a batch" },
  },
  {
    name: "own origin",
    code: [{ file: "server/http/assert-own-origin.ts", find: "if (origin === null || !isOwn(", put: "if (origin !== null && !isOwn(" }],
    killer: { file: "server/http/assert-own-origin.test.ts", test: "is refused from nobody who says so" },
  },
  {
    name: "bounded body",
    code: [{ file: "server/http/read-json.ts", find: "if (length > bodyBytesMax)", put: "if (length > 1e9)" }],
    killer: { file: "server/http/read-json.test.ts", test: "of 64 KiB is read and of one byte more is refused, announced or streamed" },
  },
  {
    name: "rate limit of a token",
    code: [{ file: "server/http/rate-limits.ts", find: "await limiter.consume(opaque(key));", put: "" }],
    killer: {
      file: "server/http/operations/cases.db.test.ts",
      test: "429 of the rate limit comes before any key is read, and is not stored",
    },
  },
  {
    name: "an unknown user costs the same",
    code: [
      {
        file: "server/auth/verify-sign-in.ts",
        find: "verifyPassword(attempt.password, found?.password_hash)",
        put: "found ? verifyPassword(attempt.password, found.password_hash) : Promise.resolve(false)",
      },
    ],
    killer: {
      file: "server/auth/verify-sign-in.db.test.ts",
      test: "of somebody unknown costs the same hash as of somebody known, and gives the same answer",
    },
  },
];
