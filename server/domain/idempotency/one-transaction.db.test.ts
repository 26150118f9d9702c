// What a command leaves when it is refused, and what a key can never be left as.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { databaseError } from "@/db/tx-error";
import { AppError } from "@/server/app-error";
import { parseDigestKeys } from "@/server/canonical-hash";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import { addReferencedPatient } from "@/server/domain/patients/add-referenced-patient";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { runCommand } from "./run-command";
import { takeKey } from "./take-key";
import type { Answer, Command } from "./types";

let db: TestDatabase;
let world: ClinicFixture;
const digestKeys = parseDigestKeys(`k1:${Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64")}`);
const deps = () => ({ db: db.web, digestKeys, retentionHours: 24, waitMs: 2_000 });

beforeAll(async () => {
  db = await createTestDatabase();
  world = await createClinicFixture(db.migrator);
});
afterAll(() => db.close());

function command(): Command {
  const { ber, tenantGroupId } = world.t1;
  const actor: PersonActor = { kind: "person", tenantGroupId, clinicIds: [ber.id], userId: newUuid(), ref: "ST-000001", roles: [] };
  const fingerprint = { method: "POST", operation: "test", pathParams: {}, ifMatch: null, body: {} };
  return { actor, clinicId: ber.id, key: `key-${newUuid()}`, requestId: newUuid(), fingerprint };
}
const patientsNamed = async (reference: string) =>
  (await db.superuser.$client`select 1 from patients where external_reference = ${reference}`).length;
const keys = async (key: string) =>
  (await db.superuser.$client`select status from idempotency_keys where key = ${key}`).map((row) => row.status);

describe("a refused command", () => {
  it("leaves nothing of its work, and keeps its refusal", async () => {
    const reference = `ext-${newUuid()}`;
    const refused = command();
    const refuse = () =>
      runCommand(deps(), refused, async (tx) => {
        await addReferencedPatient(tx, world.t1.tenantGroupId, reference);
        throw new AppError("slot-taken");
      });
    expect(await refuse()).toMatchObject({ status: 409, replayed: false });
    expect(await refuse()).toMatchObject({ status: 409, replayed: true });
    expect(await patientsNamed(reference)).toBe(0);
    expect(await keys(refused.key)).toEqual([409]);
  });

  it("is stored also when the database itself refused a statement of it", async () => {
    const refused = command();
    const answer = await runCommand(deps(), refused, async (tx) => {
      await tx.sql`select 1 / 0`.catch(() => {
        throw new AppError("slot-taken");
      });
      throw new Error("a division by zero");
    });
    expect(answer).toMatchObject({ status: 409, replayed: false });
    expect(await keys(refused.key)).toEqual([409]);
  });
});

describe("a key", () => {
  it.each([
    [undefined, 409],
    [422, 422],
  ])("that is used for something else is refused with the configured status (%s: %s), never stored", async (reusedStatus, status) => {
    const first = command();
    const done = async (): Promise<Answer> => ({ status: 201, body: {}, audit: { act: "test.done" } });
    await runCommand(deps(), first, done);
    const other = { ...first, fingerprint: { ...first.fingerprint, operation: "another" } };
    const again = () => runCommand({ ...deps(), ...(reusedStatus && { reusedStatus }) }, other, done);
    for (const _ of [1, 2])
      await expect(again()).rejects.toMatchObject({ code: "idempotency-key-reused", status, retryAfterSeconds: undefined });
    expect(await keys(first.key)).toEqual([201]);
  });

  it("that was taken and not answered cannot be committed", async () => {
    const taking = command();
    const commit = withTx(db.web, taking.actor, (tx) => takeKey(tx, deps(), taking, newUuid()));
    expect(databaseError(await commit.catch((error) => error))).toMatchObject({ code: "23514", constraint: "idempotency_keys_answered" });
    expect(await keys(taking.key)).toEqual([]);
  });
});
