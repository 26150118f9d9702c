import { randomBytes } from "node:crypto";
import { TRPCError } from "@trpc/server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { effectConsumer, makeEffectsTable, testControl, testRing } from "@/server/domain/inbox/testing";
import { done } from "@/server/domain/inbox/types";
import { approveReplay, approveReplaySecond } from "@/server/domain/replay/approve-replay";
import { controlReplay } from "@/server/domain/replay/control-replay";
import { previewReplay } from "@/server/domain/replay/preview-replay";
import { runReplayOnce } from "@/server/domain/replay/run-replay-once";
import { ReplayWorld, type StoppedRow, testReason, wideBounds } from "@/server/domain/replay/testing";
import type { Actor, Role } from "@/server/domain/scope/actor";
import { tokenCommands } from "@/server/domain/scope/actor";
import { loadActor, type SignedInPerson } from "@/server/domain/scope/load-actor";
import type { WebEnv } from "@/server/env";
import { openPostgresLog, preparePostgresLog } from "@/server/event-log/postgres";
import { apiOperations } from "@/server/http/openapi/operations";
import { newUuid } from "@/server/ids";
import { problemOf } from "../problem-of";
import { appRouter } from "../root";
import { createCallerFactory } from "../trpc";

let db: TestDatabase;
let world: ReplayWorld;
vi.mock("@/server/http/web-event-log", () => ({ webEventLog: async () => openPostgresLog(db.web) }));
beforeAll(async () => {
  db = await createTestDatabase();
  await makeEffectsTable(db.superuser);
  await preparePostgresLog(db.worker);
  world = await ReplayWorld.open(db, openPostgresLog(db.worker));
});
afterAll(() => db.close());

const env = { DIGEST_KEYS: testRing } as WebEnv;
const as = async ({ tenantGroupId, userId }: SignedInPerson) => {
  const actor = await loadActor(db.web, { tenantGroupId, userId }); // as each request does
  return createCallerFactory(appRouter)({ db: db.web, clock: systemClock, env, requestId: newUuid(), actor, batchSize: 1 }).replay;
};
const clinicId = () => world.scope.clinicId;
const row = async () => (await world.stopped(1))[0] as StoppedRow;
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error) => (error instanceof TRPCError ? problemOf(error, undefined).code : ((error as { code?: string }).code ?? `${error}`)),
  );

describe("replay over tRPC", () => {
  it("goes from preview to receipt, and everybody in STAFF reads it", async () => {
    const [operator, reader] = [await world.person(), await world.person(["STAFF"])];
    const { id, version, eventId } = await row();
    const requestId = newUuid();
    const selection = { kind: "row" as const, consumer: "test-effects-v1", inboxId: id, rowVersion: version };
    const caller = await as(operator);
    const preview = await caller.preview({ clinicId: clinicId(), requestId, selection });
    expect(preview.request).toMatchObject({ requestId, state: "PREVIEWED" });
    expect(JSON.stringify(preview)).not.toContain(operator.userId);
    const approval = {
      clinicId: clinicId(),
      requestId,
      digest: preview.request?.manifestDigest as string,
      bounds: wideBounds,
      reason: testReason,
    };
    expect(await caller.approve(approval)).toMatchObject({ state: "QUEUED", repeated: false });
    expect(await caller.approve(approval)).toMatchObject({ state: "QUEUED", repeated: true });
    await world.run();
    const job = await (await as(reader)).job({ job: requestId });
    expect(job).toMatchObject({ state: "COMPLETED", counts: { PROCESSED: 1 }, settled: 1, approverRef: operator.ref });
    expect(await (await as(reader)).ofRow({ inboxId: id })).toMatchObject({ requestId });
    expect((await (await as(reader)).jobs({})).map((one) => one.requestId)).toEqual([requestId]);
    expect(await (await as(reader)).receipt({ job: job?.jobRef as string })).toMatchObject({
      items: [{ inboxId: id, eventId, outcome: "PROCESSED" }],
    });
    const exported = await (await as(reader)).export({ job: requestId });
    expect(JSON.stringify(exported)).not.toMatch(/payload|userId|approverId/);
    expect(await world.acts(requestId)).toContain("replay.exported DONE");
  });

  it("asks for an id in its one spelling, a reason that says something, and bounds", async () => {
    const caller = await as(await world.person());
    const selection = { kind: "group" as const, consumer: "test-effects-v1", reasonCode: "GAP", recordsMax: 10 };
    const preview = (more: object) => codeOf(caller.preview({ clinicId: clinicId(), requestId: newUuid(), selection, ...more } as never));
    expect(await preview({ requestId: newUuid().toUpperCase() })).toBe("request-invalid");
    expect(await preview({ selection: { ...selection, consumer: undefined } })).toBe("request-invalid");
    expect(await preview({ selection: { ...selection, recordsMax: 10_001 } })).toBe("request-invalid");
    const approve = (more: object) =>
      codeOf(
        caller.approve({
          clinicId: clinicId(),
          requestId: newUuid(),
          digest: "0".repeat(64),
          bounds: wideBounds,
          reason: testReason,
          ...more,
        } as never),
      );
    expect(await approve({ reason: "again" })).toBe("request-invalid");
    for (const bounds of [{ maxSeconds: 301 }, { ratePerSecond: 51 }, { canarySize: 0 }, { canarySize: 51 }, { stopSharePercent: 101 }])
      expect(await approve({ bounds: { ...wideBounds, ...bounds } })).toBe("request-invalid");
    expect(await approve({})).toBe("not-found");
  });

  it("refuses by number, and shows the first request to who comes second", async () => {
    const caller = await as(await world.person());
    const { id, version } = await row();
    const selection = { kind: "row" as const, consumer: "test-effects-v1", inboxId: id, rowVersion: version };
    const bound = async () => (await caller.preview({ clinicId: clinicId(), requestId: newUuid(), selection })).request;
    const [one, two] = [await bound(), await bound()];
    const approve = (request: typeof one) =>
      caller.approve({
        clinicId: clinicId(),
        requestId: request?.requestId as string,
        digest: request?.manifestDigest as string,
        bounds: wideBounds,
        reason: testReason,
      });
    await approve(one);
    const refused = await approve(two).catch((error) => problemOf(error, undefined));
    expect(refused).toMatchObject({
      code: "replay-already-open",
      status: 409,
      requestId: one?.requestId,
      refusal: expect.stringMatching(/^RF-/),
    });
    await caller.cancel({ clinicId: clinicId(), requestId: one?.requestId as string });
    const again = await caller
      .resume({ clinicId: clinicId(), requestId: one?.requestId as string })
      .catch((error) => problemOf(error, undefined));
    expect(again).toMatchObject({ code: "replay-refused", failed: ["RESUME_NOT_ALLOWED"] });
  });
});

describe("no entry leads around the role", () => {
  const others: Role[] = ["FRONT_DESK", "STAFF", "POLICY_AUTHOR", "POLICY_APPROVER", "ADMIN"];

  it("O-F page and tRPC: every act is refused to who holds every other role, and to who lost it after the page was drawn", async () => {
    const [unentitled, former] = [await world.person(others), await world.person()];
    const drawn = await as(former);
    await world.takeRole(former);
    const requestId = newUuid();
    const selection = { kind: "group" as const, consumer: "test-effects-v1", reasonCode: "GAP", recordsMax: 10 };
    const target = { clinicId: clinicId(), requestId };
    for (const caller of [await as(unentitled), drawn])
      for (const act of [
        () => caller.preview({ ...target, selection }),
        () => caller.approve({ ...target, digest: "0".repeat(64), bounds: wideBounds, reason: testReason }),
        () => caller.approveSecond({ ...target, digest: "0".repeat(64) }),
        () => caller.pause(target),
        () => caller.resume(target),
        () => caller.cancel(target),
      ])
        expect(await codeOf(act())).toBe("right-missing");
    const noted = await db.superuser
      .$client`select count(*)::int4 as n from audit_entries where result = 'REFUSED' and actor_ref in (${unentitled.ref}, ${former.ref})`;
    expect(noted[0]?.n).toBe(12); // one entry for each, whichever layer found it
  });

  it("O-9 the domain itself refuses a token, a worker and a forged session in each of its acts, so an entry that forgot to ask changes nothing", async () => {
    const { tenantGroupId } = world.scope;
    const forged: SignedInPerson = { ...(await world.person(others)), roles: [{ role: "APPOINTMENT_REPLAY_OPERATOR", clinicId: null }] };
    const token: Actor = {
      kind: "token",
      tenantGroupId,
      clinicIds: [clinicId()],
      clientId: newUuid(),
      tokenId: newUuid(),
      ref: "AC-000000",
      commands: [...tokenCommands],
    };
    const worker: Actor = { kind: "worker", worker: "replay-runner", tenantGroupId };
    const target = { clinicId: clinicId(), requestId: newUuid() };
    const selection = { kind: "group" as const, consumer: "test-effects-v1", reasonCode: "GAP", recordsMax: 10 };
    for (const [actor, role] of [
      [forged, db.web],
      [token, db.web],
      [worker, db.worker],
    ] as const) {
      const deps = { ...world.deps, db: role };
      expect(await codeOf(previewReplay(deps, actor, { ...target, selection }))).toBe("right-missing");
      expect(await codeOf(approveReplay(deps, actor, { ...target, digest: "0", bounds: wideBounds, reason: testReason }))).toBe(
        "right-missing",
      );
      expect(await codeOf(approveReplaySecond(deps, actor, { ...target, digest: "0" }))).toBe("right-missing");
      expect(await codeOf(controlReplay(deps, actor, { ...target, act: "CANCEL" }))).toBe("right-missing");
    }
  });

  it("API: no operation and no command of a token knows of replays", () => {
    expect(JSON.stringify(apiOperations)).not.toMatch(/replay/i);
    expect(tokenCommands.join(" ")).not.toMatch(/replay/i);
  });

  it("worker: a job that was put into the table without its approval is not one, and the web role cannot claim", async () => {
    const operator = await world.person();
    const { id, version } = await row();
    const { request } = await world.preview(operator, { kind: "row", consumer: "test-effects-v1", inboxId: id, rowVersion: version });
    const requestId = request?.requestId as string;
    const sql = db.superuser.$client;
    await expect(sql`update replay_requests set state = 'QUEUED' where request_id = ${requestId}`).rejects.toMatchObject({
      constraint_name: "replay_requests_approved",
    });
    await world.approve(operator, request as never);
    await world.takeRole(operator); // the approver lost the role before any runner came
    const ran = await runReplayOnce(world.runtime(), world.log, [effectConsumer(() => done)], testControl());
    expect(ran).toMatchObject({ claimed: 1, ran: 0 });
    expect(await world.request(requestId)).toMatchObject({ state: "INCOMPLETE", ended_reason: "ROLE_REMOVED" });
    const asWeb = runReplayOnce(
      world.runtime({ db: db.web, worker: randomBytes(3).toString("hex") }),
      world.log,
      [effectConsumer(() => done)],
      testControl(),
    );
    expect(await asWeb.catch(() => ({ claimed: 0 }))).toMatchObject({ claimed: 0 }); // sees no row, and has no grant
  });
});
