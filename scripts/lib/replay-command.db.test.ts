import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { testDeps } from "@/server/domain/deliveries/testing";
import { makeEffectsTable, testRing } from "@/server/domain/inbox/testing";
import { ReplayWorld, type StoppedRow, testReason } from "@/server/domain/replay/testing";
import type { Role } from "@/server/domain/scope/actor";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { hashPassword } from "@/server/domain/scope/password";
import { newUuid } from "@/server/ids";
import { replayCommand } from "./replay-command";

let db: TestDatabase;
let world: ReplayWorld;
let clinic: string;
const password = "a synthetic password";
beforeAll(async () => {
  db = await createTestDatabase();
  await makeEffectsTable(db.superuser);
  world = await ReplayWorld.open(db);
  clinic = (await db.superuser.$client`select ref from clinics where id = ${world.scope.clinicId}`)[0]?.ref;
});
afterAll(() => db.close());

const address = ({ userId }: SignedInPerson) => `${userId}@clinic.invalid`;
async function person(roles?: Role[]): Promise<SignedInPerson> {
  const made = await world.person(roles);
  await db.superuser.$client`update users set password_hash = ${await hashPassword(password)} where id = ${made.userId}`;
  return made;
}
const ops = (who: SignedInPerson, line: string, more: string[] = [], secret: string | undefined = password) =>
  replayCommand(
    [...line.split(" "), "--as", address(who), "--clinic", clinic, ...more],
    { ...world.deps, ring: testRing, commands: testDeps(db.web) },
    secret,
  );
const row = async () => (await world.stopped(1))[0] as StoppedRow;
const digestIn = (lines: string[]) => /digest ([0-9a-f]{64})/.exec(lines.join("\n"))?.[1] as string;

describe("npm run ops -- replay", () => {
  it("previews, approves, runs and shows what the pages would, as a person who holds the role", async () => {
    const operator = await person();
    const { id, version, eventId } = await row();
    const requestId = newUuid();
    const shown = await ops(operator, `preview --consumer test-effects-v1 --row ${id} --row-version ${version} --request ${requestId}`);
    expect(shown.filter((line) => line.startsWith("PASS"))).toHaveLength(5);
    const approve = () => ops(operator, `approve --request ${requestId} --digest ${digestIn(shown)} --canary 1`, ["--reason", testReason]);
    const [first] = await approve();
    expect(first).toMatch(/^RJ-[0-9A-Z]{6} QUEUED$/);
    expect(await approve()).toEqual([`${first} (nothing changed: it was so before)`]);
    await world.run();
    const job = first?.split(" ")[0];
    expect((await ops(operator, `show --job ${job}`)).slice(0, 3)).toEqual([
      `${job} COMPLETED, request ${requestId}`,
      "requested    1",
      "PROCESSED    1",
    ]);
    expect(await ops(operator, "jobs")).toEqual([`${job} COMPLETED 1 of 1 test-effects-v1`]);
    expect(await world.effects(eventId)).toBe(1);
    const acts = await db.superuser
      .$client`select act, actor_kind, actor_ref from audit_entries where actor_ref = ${operator.ref} order by at`;
    expect(acts.map(({ act }) => act)).toContain("replay.approved");
    expect(acts[0]).toMatchObject({ act: "session.signed-in", actor_kind: "person" });
  });

  it("is closed to whoever cannot prove to be one, or holds no role, or has no such clinic", async () => {
    const { id, version } = await row();
    const line = `preview --consumer test-effects-v1 --row ${id} --row-version ${version}`;
    await expect(ops(await person(), line, [], "another password")).rejects.toThrow("not signed in");
    await expect(ops(await person(), line, [], "")).rejects.toThrow("OPS_PASSWORD");
    for (const roles of [["STAFF"], ["ADMIN", "FRONT_DESK"]] as Role[][])
      await expect(ops(await person(roles), line)).rejects.toThrow("right: APPOINTMENT_REPLAY_OPERATOR");
    const elsewhere = await ReplayWorld.open(db);
    const stranger = await elsewhere.person();
    await db.superuser.$client`update users set password_hash = ${await hashPassword(password)} where id = ${stranger.userId}`;
    await expect(ops(stranger, line)).rejects.toThrow("nothing with this identity in your scope");
  });

  it("says refusals with their number, pauses and cancels, and takes a range by partition and offsets", async () => {
    const operator = await person();
    const { partition, offset } = await row();
    const requestId = newUuid();
    const range = await ops(
      operator,
      `preview --consumer test-effects-v1 --ranges ${partition}:${offset}-${offset} --request ${requestId}`,
    );
    expect(range).toContainEqual(expect.stringContaining("records 1 of 1, 1 offsets"));
    const wrong = ops(operator, `approve --request ${requestId} --digest ${"0".repeat(64)}`, ["--reason", testReason]);
    await expect(wrong).rejects.toThrow(/failed: DIGEST_DIFFERS\nrefusal: RF-/);
    await expect(ops(operator, `approve --request ${requestId} --digest ${digestIn(range)}`, ["--reason", "why"])).rejects.toThrow(
      /8 char/,
    );
    await ops(operator, `approve --request ${requestId} --digest ${digestIn(range)}`, ["--reason", testReason]);
    expect(await ops(operator, `pause --request ${requestId}`)).toEqual([expect.stringMatching(/PAUSED$/)]);
    expect(await ops(operator, `resume --request ${requestId}`)).toEqual([expect.stringMatching(/QUEUED$/)]);
    expect(await ops(operator, `cancel --request ${requestId}`)).toEqual([expect.stringMatching(/CANCELLED$/)]);
    await expect(ops(operator, `resume --request ${requestId}`)).rejects.toThrow("RESUME_NOT_ALLOWED");
    await expect(ops(operator, "preview --consumer test-effects-v1 --ranges 3:9-1")).rejects.toThrow("ends before it begins");
    await expect(ops(operator, "dance")).rejects.toThrow("replay preview");
  });
});

describe("npm run ops -- replay limits", () => {
  const limits = async () =>
    (await db.superuser.$client`select replay_records_limit as n from clinics where id = ${world.scope.clinicId}`)[0]?.n as number;

  it("an ADMIN sets from where a second person must approve: once under a key, on the limits that were read, and audited", async () => {
    const admin = await person(["ADMIN"]);
    expect(await ops(admin, "limits")).toEqual(["records 100", "age-hours 168", "version 100.168"]);
    const set = (version: string) => ops(admin, `limits --records 0 --age-hours 24 --version ${version} --key ${key}`);
    const key = newUuid();
    const first = await set("100.168");
    expect(first).toContain("version 0.24");
    expect(await set("100.168")).toEqual(first); // the same key: the stored answer
    await expect(ops(admin, "limits --records 50 --age-hours 24 --version 100.168")).rejects.toThrow("row-stale");
    await expect(ops(admin, "limits --records -1 --age-hours 24 --version 0.24")).rejects.toThrow("records");
    const entries = await db.superuser.$client`
      select act, result, actor_role, details from audit_entries where act like '%delivery.setReplayLimits' order by at`;
    expect(entries).toMatchObject([
      { result: "DONE", actor_role: "ADMIN", details: { from: "100.168", records: 0, ageHours: 24 } },
      { result: "REFUSED", actor_role: "ADMIN" },
    ]);
    const operator = await person();
    const { id, version } = await row();
    const shown = await ops(operator, `preview --consumer test-effects-v1 --row ${id} --row-version ${version}`);
    expect(shown).toContain("second person needed");
  });

  it("nobody but an ADMIN sets them, the replay operator neither, and the try is audited", async () => {
    const before = await limits();
    const operator = await person(["APPOINTMENT_REPLAY_OPERATOR", "STAFF"]);
    await expect(ops(operator, "limits --records 9999 --age-hours 9999 --version 0.24")).rejects.toThrow("right: ADMIN");
    expect(await limits()).toBe(before);
    const [refused] = await db.superuser
      .$client`select act, reason_code, details from audit_entries where actor_ref = ${operator.ref} and result = 'REFUSED'`;
    expect(refused).toMatchObject({ act: "access.refused", reason_code: "RIGHT_MISSING", details: { right: "ADMIN" } });
  });
});
