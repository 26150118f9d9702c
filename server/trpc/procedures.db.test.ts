import { TRPCError } from "@trpc/server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { AppError } from "@/server/app-error";
import { systemClock } from "@/server/clock";
import type { Role } from "@/server/domain/scope/actor";
import { loadActor } from "@/server/domain/scope/load-actor";
import type { WebEnv } from "@/server/env";
import { problemOf } from "./problem-of";
import { appRouter } from "./root";
import {
  adminCommand,
  adminProcedure,
  clinicProcedure,
  createCallerFactory,
  frontDeskCommand,
  frontDeskProcedure,
  type Guarantee,
  replayOperatorCommand,
  replayOperatorProcedure,
  router,
  signedInProcedure,
  staffProcedure,
  type TrpcContext,
} from "./trpc";

let db: TestDatabase;
const id = (n: string) => `01900000-0000-7000-8000-${n.padStart(12, "0")}`;
const [tenant, otherTenant, berlin, kathmandu, foreign] = [id("1"), id("2"), id("c1"), id("c2"), id("c9")];
const key = "key-0123456789abcdef";

beforeAll(async () => {
  db = await createTestDatabase();
  const sql = db.migrator.$client;
  await sql`insert into tenant_groups (id, ref, name) values (${tenant}, 'TG-A00000', 'A'), (${otherTenant}, 'TG-B00000', 'B')`;
  for (const [clinic, group, ref] of [
    [berlin, tenant, "CL-BER000"],
    [kathmandu, tenant, "CL-KTM000"],
    [foreign, otherTenant, "CL-XXX000"],
  ] as const)
    await sql`insert into clinics (id, tenant_group_id, ref, name, zone) values (${clinic}, ${group}, ${ref}, ${ref}, 'Europe/Berlin')`;
});
beforeEach(() => db.migrator.$client`truncate audit_entries`);
afterAll(() => db.close());

let made = 0;
async function person(roles: Role[], where: string | null = berlin): Promise<TrpcContext> {
  made += 1;
  const userId = id(`a${made}`);
  const sql = db.migrator.$client;
  await sql`
    insert into users (id, tenant_group_id, ref, email, name, password_hash)
    values (${userId}, ${tenant}, ${`ST-${made}`}, ${`u${made}@clinic.invalid`}, 'Name', 'x')`;
  for (const role of roles)
    await sql`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenant}, ${userId}, ${role}, ${where})`;
  return context({ actor: await loadActor(db.web, { tenantGroupId: tenant, userId }) });
}

function context(part: Partial<TrpcContext> = {}): TrpcContext {
  return { db: db.web, clock: systemClock, env: {} as WebEnv, requestId: "request-1", actor: undefined, batchSize: 1, ...part };
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error) => (error instanceof TRPCError ? problemOf(error, undefined).code : `no TRPCError: ${error}`),
  );
const refusals = () => db.migrator.$client`select reason_code, actor_ref, clinic_id, details from audit_entries order by at`;

type Procedure = { _def: { meta?: Guarantee; type: string; inputs: unknown[] } };
const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>);
const markers = ["SIGNED_IN", "CLINIC", "FRONT_DESK", "STAFF", "APPOINTMENT_REPLAY_OPERATOR", "POLICY_AUTHOR", "POLICY_APPROVER", "ADMIN"];

describe.each(procedures)("procedure %s", (path, procedure) => {
  const call = async (ctx: TrpcContext, clinic: string) => {
    const caller = createCallerFactory(appRouter)(ctx) as never;
    const target = path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], caller);
    return (target as (input: unknown) => Promise<unknown>)({ clinic, clinicId: clinic, key });
  };
  const { guarantee, keyed } = procedure._def.meta ?? { guarantee: undefined };

  it("names what it guarantees", () => {
    expect(markers).toContain(guarantee);
  });

  it("refuses who is not signed in", async () => {
    expect(await codeOf(call(context(), berlin))).toBe("signed-out");
  });

  if (guarantee !== "SIGNED_IN")
    it("answers a clinic of another tenant, another clinic and a random one alike, and notes it", async () => {
      const everything = ["FRONT_DESK", "STAFF", "APPOINTMENT_REPLAY_OPERATOR", "POLICY_AUTHOR", "POLICY_APPROVER", "ADMIN"] as Role[];
      const ctx = await person(everything);
      for (const clinic of [foreign, kathmandu, id("ff"), "CL-XXX000"]) expect(await codeOf(call(ctx, clinic))).toBe("not-found");
      expect((await refusals()).map((row) => row.reason_code)).toEqual(Array(4).fill("OUT_OF_SCOPE"));
    });

  if (guarantee !== "SIGNED_IN" && guarantee !== "CLINIC")
    it("refuses who has every right but this one, by its name", async () => {
      const others = markers.slice(2).filter((role) => role !== guarantee) as Role[];
      expect(await codeOf(call(await person(others), berlin))).toBe("right-missing");
      expect(await refusals()).toMatchObject([
        { reason_code: "RIGHT_MISSING", clinic_id: berlin, details: { operation: path, right: guarantee } },
      ]);
    });

  if (keyed)
    it("with a key is not answered in a batch", async () => {
      const ctx = { ...(await person([guarantee === "CLINIC" ? "FRONT_DESK" : (guarantee as Role)])), batchSize: 2 };
      const refusal = await call(ctx, berlin).catch((error: TRPCError) => error);
      expect(problemOf(refusal as TRPCError, undefined)).toMatchObject({
        code: "request-invalid",
        detail: expect.stringContaining("not in a batch"),
      });
    });

  if (keyed)
    it("is a mutation when it is keyed", () => {
      expect(procedure._def.type).toBe("mutation");
    });
});

describe("the guarantees", () => {
  const seen = ({ ctx }: { ctx: { actor: { clinicIds: string[] } } }) => ctx.actor.clinicIds;
  const probes = router({
    signedIn: signedInProcedure.query(seen),
    clinic: clinicProcedure.query(seen),
    frontDesk: frontDeskProcedure.query(seen),
    staff: staffProcedure.query(seen),
    replayOperator: replayOperatorProcedure.query(seen),
    admin: adminProcedure.query(seen),
    frontDeskCommand: frontDeskCommand.mutation(() => "done"),
    replayCommand: replayOperatorCommand.mutation(() => "done"),
    adminCommand: adminCommand.mutation(() => "done"),
    refusing: signedInProcedure.query(() => {
      throw new AppError("slot-taken", undefined, { blockers: ["doctor"] });
    }),
    foreign: signedInProcedure.mutation(() => {
      throw new AppError("not-found");
    }),
    gone: signedInProcedure.query(() => {
      throw new AppError("not-found");
    }),
    unentitled: clinicProcedure.query(() => {
      throw new AppError("right-missing", undefined, { right: "FRONT_DESK" });
    }),
    broken: signedInProcedure.query(() => {
      throw new TypeError("secret value");
    }),
    typed: signedInProcedure.input(z.object({ name: z.string() })).query(() => "done"),
  });
  const as = (ctx: TrpcContext) => createCallerFactory(probes)(ctx);

  it("a clinic can be named by its id or its reference, and the resolver sees that clinic only", async () => {
    const caller = as(await person(["FRONT_DESK"], null));
    expect(await caller.frontDesk({ clinicId: berlin })).toEqual([berlin]);
    expect(await caller.frontDesk({ clinicId: "CL-KTM000" })).toEqual([kathmandu]);
  });

  it("a role in one clinic is no role in another", async () => {
    const ctx = await person(["FRONT_DESK"]);
    await db.migrator.$client`
      insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenant}, ${ctx.actor?.userId as string}, 'STAFF', ${kathmandu})`;
    const caller = as({ ...ctx, actor: await loadActor(db.web, { tenantGroupId: tenant, userId: ctx.actor?.userId as string }) });
    expect(await codeOf(caller.frontDesk({ clinicId: kathmandu }))).toBe("right-missing");
    expect(await codeOf(caller.staff({ clinic: berlin }))).toBe("right-missing");
    expect(await caller.staff({})).toEqual([kathmandu]);
  });

  it("ADMIN is no replay operator, and STAFF neither", async () => {
    const caller = as(await person(["ADMIN", "STAFF"]));
    expect(await caller.admin({ clinicId: berlin })).toEqual([berlin]);
    expect(await codeOf(caller.replayOperator({ clinicId: berlin }))).toBe("right-missing");
    expect(await codeOf(caller.replayCommand({ clinicId: berlin, key }))).toBe("right-missing");
  });

  it("who has no role sees nothing", async () => {
    const caller = as(await person([]));
    expect(await caller.signedIn()).toEqual([]);
    expect(await codeOf(caller.staff({}))).toBe("right-missing");
    expect(await codeOf(caller.clinic({ clinicId: berlin }))).toBe("not-found");
  });

  it("a command needs a key of the published format", async () => {
    const caller = as(await person(["FRONT_DESK"]));
    expect(await caller.frontDeskCommand({ clinicId: berlin, key })).toBe("done");
    for (const wrong of ["short", "with,comma-0123456789", "x".repeat(256), "umlaut-ä-0123456789"])
      expect(await codeOf(caller.frontDeskCommand({ clinicId: berlin, key: wrong }))).toBe("request-invalid");
    expect(await codeOf(as({ ...(await person(["ADMIN"])), batchSize: 2 }).adminCommand({ clinicId: berlin, key }))).toBe(
      "request-invalid",
    );
  });

  it("a refusal by the rules behind a procedure is audited once, a read of something gone is not", async () => {
    const caller = as(await person(["STAFF"]));
    expect(await codeOf(caller.foreign())).toBe("not-found");
    expect(await codeOf(caller.unentitled({ clinicId: berlin }))).toBe("right-missing");
    expect(await codeOf(caller.gone())).toBe("not-found");
    expect(await refusals()).toMatchObject([
      { reason_code: "OUT_OF_SCOPE", details: { operation: "foreign" } },
      { reason_code: "RIGHT_MISSING", details: { operation: "unentitled", right: "FRONT_DESK" } },
    ]);
  });

  it("a refusal keeps its code, facts and status; a fault keeps its message to itself", async () => {
    const caller = as(await person([]));
    const refusal = await caller.refusing().catch((error) => error);
    expect([refusal.code, problemOf(refusal, "r").blockers]).toEqual(["CONFLICT", ["doctor"]]);
    const fault = await caller.broken().catch((error) => error);
    expect(fault.code).toBe("INTERNAL_SERVER_ERROR");
    expect(JSON.stringify([problemOf(fault, "r"), fault.message])).not.toContain("secret");
    expect(await codeOf(caller.typed({} as never))).toBe("request-invalid");
  });
});
