// Requests made from the OpenAPI document for every endpoint and from the router for every procedure, right and wrong in every way: never a 500, never
// an answer without its stable code, nothing of another tenant, and afterwards every record as it must be. A sample runs with the other tests;
// `npm run test:fuzz` sends 20,000. FUZZ_SEED repeats a run.
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { type ProblemCode, problems } from "@/server/app-error";
import { systemClock } from "@/server/clock";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import { loadActor, type SignedInPerson } from "@/server/domain/scope/load-actor";
import { webEnv } from "@/server/env";
import { newUuid } from "@/server/ids";
import { appRouter } from "@/server/trpc/root";
import { createCallerFactory } from "@/server/trpc/trpc";
import { aTuesday, at, callApi, insertToken, makeTimes, newKey, setWebEnvironment } from "../operations/testing";
import { apiRequest, type Endpoint, endpoints } from "./testing/api-requests";
import { seeded } from "./testing/random";
import { procedures, trpcRequest } from "./testing/trpc-requests";
import type { Pool } from "./testing/values";

const requests = Number(process.env.FUZZ_REQUESTS ?? 800);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const session = vi.hoisted(() => ({ actor: undefined as unknown, fault: undefined as unknown }));
vi.mock("@/server/auth/read-actor", () => ({ readActor: async () => session.actor }));
vi.mock("@/server/http/fault-of", () => ({
  faultOf: (error: unknown) => {
    session.fault = error; // what the log would hide is what a failing run must show
    return {};
  },
}));

let db: TestDatabase;
let world: ClinicFixture;
let pool: Pool;
let tokens: string[];
let people: (SignedInPerson | undefined)[];
const secret = "Zzyzx"; // in every name of the tenant group that nobody here belongs to

beforeAll(async () => {
  db = await createTestDatabase();
  setWebEnvironment(db.urls.web, { IDEMPOTENCY_WAIT_MS: "500" });
  world = await createClinicFixture(db.migrator);
  const { t1, t2 } = world;
  await db.migrator.$client`update patients set name = ${secret} where tenant_group_id = ${t2.tenantGroupId}`;
  await db.migrator.$client`update clinics set name = ${secret} where tenant_group_id = ${t2.tenantGroupId}`;
  await db.migrator.$client`update doctors set name = ${secret} where tenant_group_id = ${t2.tenantGroupId}`;
  const full = await insertToken(db.migrator, t1.tenantGroupId, [t1.ber.id, t1.nyc.id]);
  const reader = await insertToken(db.migrator, t1.tenantGroupId, [t1.ber.id], ["appointments:read", "slots:read"]);
  tokens = [full, full, full, full, full, full, reader, "no-token", "", "é"];
  people = [
    await person(["FRONT_DESK"]),
    await person(["FRONT_DESK", "STAFF"]),
    await person(["STAFF"]),
    await person(["ADMIN"]),
    undefined,
  ];
  pool = await makePool(full);
}, 60_000);
afterAll(async () => {
  expect(await checkInvariants(db.superuser)).toEqual([]);
  await db.close();
});

async function person(roles: string[]): Promise<SignedInPerson | undefined> {
  const { tenantGroupId, ber } = world.t1;
  const userId = newUuid();
  const sql = db.migrator.$client;
  await sql`
    insert into users (id, tenant_group_id, ref, email, name, password_hash)
    values (${userId}, ${tenantGroupId}, ${`ST-${userId.slice(-6)}`}, ${`${userId}@clinic.invalid`}, 'Person', 'x')`;
  for (const role of roles)
    await sql`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${userId}, ${role}, ${ber.id})`;
  return loadActor(db.web, { tenantGroupId, userId });
}

/** Visits of both tenant groups, and everything that a request could name. */
async function makePool(token: string): Promise<Pool> {
  const { t1, t2 } = world;
  const time = makeTimes("Europe/Berlin");
  const booked: string[] = [];
  const keys: string[] = [];
  for (let n = 0; n < 12; n++) {
    const key = newKey();
    const body = { patient: { id: t1.patients[n]?.id }, treatmentId: t1.ber.treatments.VISIT15, startsAt: time() };
    booked.push((await callApi("createAppointment", { clinicId: t1.ber.id, token, key, body })).json.id);
    keys.push(key);
  }
  const strangers = await insertToken(db.migrator, t2.tenantGroupId, [t2.ktm.id]);
  const body = { patient: { id: t2.patients[0]?.id }, treatmentId: t2.ktm.treatments.VISIT15, startsAt: at("Asia/Kathmandu", "10:00") };
  const foreign = await callApi("createAppointment", { clinicId: t2.ktm.id, token: strangers, body });
  expect(foreign.status, foreign.text).toBe(201);
  const { ber, nyc } = t1;
  return {
    named: {
      clinicId: [...Array(8).fill(ber.id), nyc.id, "CL-BER000", t2.ktm.id, "CL-KTM000"],
      clinic: [ber.id, "CL-BER000", "CL-KTM000"],
      appointmentId: booked,
      ignoreAppointmentId: booked,
      patientId: t1.patients.map(({ id }) => id),
      externalReference: ["ext-1", "ext-2", "somebody-new"],
      treatmentId: Object.values(ber.treatments),
      doctorId: ber.doctors.map(({ id }) => id),
      startsAt: Array.from({ length: 400 }, time),
      from: Array.from({ length: 10 }, (_, days) => aTuesday.add({ days }).toString()),
      fromDate: Array.from({ length: 10 }, (_, days) => aTuesday.add({ days }).toString()),
      date: Array.from({ length: 10 }, (_, days) => aTuesday.add({ days }).toString()),
      Id: await evidenceIds(ber.id, token, keys[0] as string), // the id of a row, at the top of an input
      name: ["Patient 1", "Somebody New", "Zoë"],
      email: ["somebody@clinic.invalid"],
      phone: ["+44 1632 960001"],
      birthDate: ["1980-05-17"],
    },
    foreignIds: [t2.ktm.id, t2.lhi.id, foreign.json.id, t2.patients[0]?.id as string, t2.ktm.treatments.VISIT15, t1.sel.id, newUuid()],
    keys: [...keys, newKey(), newKey()],
  };
}

/** Rows of the delivery queue: a key that is used for something else makes one. */
async function evidenceIds(clinicId: string, token: string, key: string): Promise<string[]> {
  await callApi("createAppointment", {
    clinicId,
    token,
    key,
    body: { patient: { externalReference: "other" }, treatmentId: newUuid(), startsAt: at("Europe/Berlin", "09:00") },
  });
  const actor = people[2];
  const staff = createCallerFactory(appRouter)({
    db: db.web,
    clock: systemClock,
    env: webEnv(),
    requestId: newUuid(),
    actor,
    batchSize: 1,
  });
  const { rows } = await staff.delivery.queue({ filter: {} });
  return [...rows.map(({ id }) => id), `inbox.${newUuid()}`];
}

type Handler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;

async function handlerOf({ path: address, method }: Endpoint): Promise<Handler> {
  const file = path.join(process.cwd(), "app", address.replace(/\{(\w+)\}/g, "[$1]"), "route.ts");
  return (await import(/* @vite-ignore */ file))[method];
}

/** The problem of a refusal, checked: a code that exists, at the status it has. */
function assertCoded(status: number, problem: { code?: ProblemCode; status?: number } | undefined, what: string): void {
  const known = problem?.code ? problems[problem.code] : undefined;
  expect(known, `${what}: ${status} without a stable code: ${JSON.stringify(problem)?.slice(0, 300)}`).toBeDefined();
  expect(problem?.code, what).not.toBe("internal-error");
  expect([known?.status, problem?.status], what).toEqual([status, status]);
}

const fault = () => (session.fault instanceof Error ? session.fault.stack : session.fault);
const seen = new Map<string, number>();
const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);

describe(`${requests} requests from seed ${seed}`, () => {
  it(
    "over every endpoint of the API: each answer is one that the document names, refusals with their code",
    async () => {
      for (let n = 0, sent = 0; sent < requests / 2; n++) {
        const random = seeded(seed + n);
        const endpoint = endpoints[n % endpoints.length] as Endpoint;
        const made = apiRequest(endpoint, random, pool, tokens);
        if (!made) continue;
        sent += 1;
        const what = `request ${n} of seed ${seed}: ${endpoint.method} ${new URL(made.request.url).pathname.slice(0, 200)}`;
        const response = await (await handlerOf(endpoint))(made.request, { params: Promise.resolve(made.params) });
        const text = await response.text();
        expect(response.status, `${what}: ${text.slice(0, 300)} ${fault()}`).toBeLessThan(500);
        expect(Object.keys(endpoint.operation.responses), what).toContain(String(response.status));
        if (response.status >= 400) assertCoded(response.status, JSON.parse(text), what);
        expect(text.includes(secret), what).toBe(false);
        const { id, startsAt } = response.status < 300 && text.startsWith("{") ? JSON.parse(text) : {};
        if (id && startsAt) pool.named.appointmentId = [id, ...(pool.named.appointmentId ?? [])].slice(0, 15);
        count(`${endpoint.operation.operationId} ${response.status}`);
      }
    },
    60_000 + requests * 100,
  );

  it(
    "over every procedure: each answer is a result or has its code",
    async () => {
      const { POST } = (await import("@/app/api/trpc/[trpc]/route")) as unknown as { POST: Handler };
      for (let n = 0, sent = 0; sent < requests / 2; n++) {
        const random = seeded(seed + 1_000_000 + n);
        session.actor = random.pick(people);
        const procedure = procedures[n % procedures.length] as (typeof procedures)[number];
        const request = trpcRequest(procedure, random, pool);
        if (!request) continue;
        sent += 1;
        const what = `request ${n} of seed ${seed}: ${request.method} ${decodeURIComponent(new URL(request.url).pathname).slice(0, 100)}`;
        const response = await POST(request, { params: Promise.resolve({ trpc: procedure.path }) });
        const text = await response.text();
        expect(response.status, `${what}: ${text.slice(0, 300)} ${fault()}`).toBeLessThan(500);
        for (const answer of [JSON.parse(text)].flat()) {
          if (answer.code) assertCoded(response.status, answer, what);
          else if (answer.error) assertCoded(answer.error.json.data.httpStatus, answer.error.json.data.problem, what);
          else expect(answer.result, what).toBeDefined();
        }
        expect(text.includes(secret), what).toBe(false);
        count(`${procedure.path} ${response.status}`);
      }
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
    60_000 + requests * 100,
  );

  it("reached every endpoint and every procedure with success and with refusal", () => {
    const missing = [...endpoints.map(({ operation }) => operation.operationId), ...procedures.map((one) => one.path)].filter(
      (name) => !seen.has(`${name} 200`) && !seen.has(`${name} 201`),
    );
    if (requests >= 5_000) expect(missing).toEqual([]);
    console.log(`${[...seen.values()].reduce((sum, n) => sum + n, 0)} requests from seed ${seed}, ${seen.size} kinds of answers`);
    expect(seen.size).toBeGreaterThan(30);
  });
});
