// Limits and rights while many calls are under way: through the route of tRPC and the handlers of the API, on the real database.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import { webEnv } from "@/server/env";
import { callApi, insertToken, makeTimes, newKey, setWebEnvironment } from "@/server/http/operations/testing";
import { createRateLimits, type RateLimits } from "@/server/http/rate-limits";
import { newUuid } from "@/server/ids";

const session = vi.hoisted(() => ({ user: undefined as { id: string; tenantGroupId: string } | undefined }));
vi.mock("@/server/auth/auth", () => ({ auth: async () => ({ user: session.user }) }));

let db: TestDatabase;
let world: ClinicFixture;
const time = makeTimes("Europe/Berlin");

beforeAll(async () => {
  db = await createTestDatabase();
  setWebEnvironment(db.urls.web);
  world = await createClinicFixture(db.migrator);
});
afterAll(async () => {
  expect(await checkInvariants(db.superuser)).toEqual([]);
  await db.close();
});

/** Calls follow each other 20 ms apart, 50 a second, whether or not the earlier ones have been answered. */
async function steadily<T>(count: number, call: (n: number) => Promise<T>, between: (n: number) => Promise<unknown> = async () => {}) {
  const calls: Promise<T>[] = [];
  for (let n = 0; n < count; n++) {
    await between(n);
    calls.push(call(n));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return Promise.all(calls);
}

async function signIn(): Promise<string> {
  const { tenantGroupId, ber } = world.t1;
  const id = newUuid();
  await db.migrator.$client`
    insert into users (id, tenant_group_id, ref, email, name, password_hash)
    values (${id}, ${tenantGroupId}, ${`ST-${id.slice(-6)}`}, ${`${id}@clinic.invalid`}, 'Desk', 'x')`;
  await db.migrator
    .$client`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${id}, 'FRONT_DESK', ${ber.id})`;
  session.user = { id, tenantGroupId };
  return id;
}

async function book(key: string, startsAt: string): Promise<number> {
  const { POST } = await import("@/app/api/trpc/[trpc]/route");
  const { ber, patients } = world.t1;
  const visit = { patient: { id: patients[0]?.id }, treatmentId: ber.treatments.VISIT15, doctorId: ber.doctors[0]?.id, startsAt };
  const origin = "http://localhost";
  const request = new Request(`${origin}/api/trpc/desk.book`, {
    method: "POST",
    headers: { origin, "x-trpc-source": "web", "content-type": "application/json" },
    body: JSON.stringify({ json: { clinicId: ber.id, key, visit } }),
  });
  const response = await POST(request, { params: Promise.resolve({ trpc: "desk.book" }) });
  return response.status;
}

describe("a role that is taken away", () => {
  it("ends with the next call, under 50 calls a second: what began before is whole, what began afterwards is refused", async () => {
    const id = await signIn();
    const keys = Array.from({ length: 40 }, newKey);
    const starts = keys.map(() => time());
    const removedBefore = 20;
    const [known, knownStart] = [newKey(), time()];
    expect(await book(known, knownStart)).toBe(200);
    const statuses = await steadily(
      keys.length,
      (n) => book(keys[n] as string, starts[n] as string),
      async (n) => {
        if (n === removedBefore) await db.migrator.$client`delete from user_roles where user_id = ${id}`;
      },
    );
    expect(new Set(statuses.slice(removedBefore))).toEqual(new Set([404])); // without a role there is no clinic of theirs
    const booked = statuses.filter((status) => status === 200).length;
    const [visits] = await db.superuser
      .$client`select count(*)::int as count from command_calls where key = any (${keys}::text[]) and outcome = 'FIRST'`;
    expect(visits?.count).toBe(booked);
    expect(await book(known, knownStart)).toBe(404); // a known key is no way round
  });
});

describe("a token", () => {
  it("that is revoked ends with the next call, under 50 calls a second, also for known keys", async () => {
    const { tenantGroupId, ber } = world.t1;
    const token = await insertToken(db.migrator, tenantGroupId, [ber.id]);
    const known = { clinicId: ber.id, token, key: newKey(), body: bodyAt(time()) };
    expect((await callApi("createAppointment", known)).status).toBe(201);
    const replies = await steadily(
      40,
      (n) => callApi("createAppointment", n % 2 ? known : { ...known, key: newKey(), body: bodyAt(time()) }),
      async (n) => {
        if (n === 20)
          await db.migrator.$client`update api_tokens set revoked_at = clock_timestamp() where tenant_group_id = ${tenantGroupId}`;
      },
    );
    expect(new Set(replies.slice(20).map(({ status }) => status))).toEqual(new Set([401]));
    expect(replies.slice(20).every(({ json }) => json.id === undefined)).toBe(true);
  });

  it("gets as many calls as its limit in a minute, however many come at once and to whichever process", async () => {
    const { tenantGroupId, ber } = world.t1;
    const token = await insertToken(db.migrator, tenantGroupId, [ber.id]);
    const kept = globalThis as { appointmentOperationsRateLimits?: RateLimits };
    const usual = kept.appointmentOperationsRateLimits;
    const limited = { tokenPerMinute: 30, ring: webEnv().DIGEST_KEYS };
    const processes = [createRateLimits(db.web, limited), createRateLimits(db.web, limited)];
    const replies = await steadily(100, (n) => {
      kept.appointmentOperationsRateLimits = processes[n % 2];
      return callApi("getAppointment", { clinicId: ber.id, token, id: newUuid() });
    });
    kept.appointmentOperationsRateLimits = usual;
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(30);
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(70);
    for (const { json, headers } of refused) expect([json.code, Number(headers.get("retry-after")) > 0]).toEqual(["rate-limited", true]);
  });
});

const bodyAt = (startsAt: string) => ({
  patient: { id: world.t1.patients[0]?.id },
  treatmentId: world.t1.ber.treatments.VISIT15,
  doctorId: world.t1.ber.doctors[0]?.id,
  startsAt,
});
