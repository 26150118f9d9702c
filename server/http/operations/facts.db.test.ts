// The HTTP operations on facts: rights, keys, versions, problems and answers as the OpenAPI document promises them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { type ClinicFixture, createClinicFixture, type FixtureClinic, usualHours, workdays } from "@/server/domain/clinics/testing";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import { newUuid } from "@/server/ids";
import { factOperations } from "../openapi/fact-operations";
import * as facts from "./facts";
import { aTuesday, at, callApi, insertToken, newKey, setWebEnvironment } from "./testing";

let db: TestDatabase;
let world: ClinicFixture;
let ber: FixtureClinic;
let token: string;
const day = aTuesday.toString();

beforeAll(async () => {
  db = await createTestDatabase();
  setWebEnvironment(db.urls.web, { DATABASE_POOL_MAX: "4" });
  world = await createClinicFixture(db.migrator);
  ber = world.t1.ber;
  token = await insertToken(db.migrator, world.t1.tenantGroupId, [ber.id]);
});
afterAll(async () => {
  expect(await checkInvariants(db.superuser)).toEqual([]);
  await db.close();
});

type Handler = (request: Request, context: { params: Promise<never> }) => Promise<Response>;
type Ask = {
  method: "GET" | "POST" | "PUT";
  body?: unknown;
  key?: string | null;
  ifMatch?: string;
  params?: Record<string, string>;
  as?: string | null;
  clinicId?: string;
};
async function ask(handler: unknown, { method, body, key = newKey(), ifMatch, params = {}, as = token, clinicId = ber.id }: Ask) {
  const headers = new Headers({ "content-type": "application/json" });
  if (as) headers.set("authorization", `Bearer ${as}`);
  if (key && method !== "GET") headers.set("idempotency-key", key);
  if (ifMatch) headers.set("if-match", ifMatch);
  const request = new Request("http://localhost/api/v1/x", {
    method,
    headers,
    ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
  });
  const response = await (handler as Handler)(request, { params: Promise.resolve({ clinicId, ...params } as never) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

const bodies = () =>
  ({
    absence: { doctorId: ber.doctors[0]?.id, from: `${day}T09:00`, until: `${day}T12:00`, reason: "At home" },
    closure: { from: day, until: day, reason: "Works" },
    outage: { equipmentId: ber.ultrasound.id, from: day, until: day },
    break: { doctorId: ber.doctors[1]?.id, weekday: 2, from: "10:00", until: "10:15" },
  }) as const;
const handlers = {
  absence: {
    add: facts.postAbsence,
    change: facts.putAbsence,
    end: facts.postAbsenceEnd,
    preview: facts.postAbsencePreview,
    get: facts.getAbsence,
  },
  closure: {
    add: facts.postClosure,
    change: facts.putClosure,
    end: facts.postClosureEnd,
    preview: facts.postClosurePreview,
    get: facts.getClosure,
  },
  outage: {
    add: facts.postOutage,
    change: facts.putOutage,
    end: facts.postOutageEnd,
    preview: facts.postOutagePreview,
    get: facts.getOutage,
  },
  break: { add: facts.postBreak, change: facts.putBreak, end: facts.postBreakEnd, preview: facts.postBreakPreview, get: facts.getBreak },
};
type Kind = keyof typeof handlers;
const kinds = Object.keys(handlers) as Kind[];
const promised = (operationId: string, json: unknown) => {
  const answer = factOperations.find((one) => one.operationId === operationId)?.answer as z.ZodObject;
  expect(answer.safeParse(json).error).toBeUndefined();
  expect(Object.keys(json as object).toSorted()).toEqual(Object.keys(answer.shape).toSorted());
};
const word = (kind: Kind) => `${kind[0]?.toUpperCase()}${kind.slice(1)}`;

describe.each(kinds)("%s over HTTP", (kind) => {
  it("is previewed, added, read, changed and ended, each once for its key, with versions as ETags", async () => {
    const { add, change, end, preview, get } = handlers[kind];
    const body = bodies()[kind];
    const previewed = await ask(preview, { method: "POST", body, key: null });
    expect([previewed.status, previewed.json.count]).toEqual([200, 0]);
    promised(`preview${word(kind)}`, previewed.json);

    const key = newKey();
    const added = await ask(add, { method: "POST", body, key });
    expect([added.status, added.headers.get("etag")]).toEqual([201, '"1"']);
    promised(`add${word(kind)}`, added.json);
    const again = await ask(add, { method: "POST", body, key });
    expect([again.text === added.text, again.headers.get("idempotent-replayed")]).toEqual([true, "true"]);
    const reused = await ask(add, { method: "POST", body: { ...body, from: kind === "break" ? "09:45" : `${day}T08:00` }, key });
    expect(reused.json.code).toBe("idempotency-key-reused");

    const { id } = added.json;
    expect(added.headers.get("location")).toMatch(new RegExp(`/clinics/${ber.id}/\\w+/${id}$`));
    const params = { factId: id };
    const read = await ask(get, { method: "GET", params });
    expect([read.status, read.headers.get("etag")]).toEqual([200, '"1"']);
    promised(`get${word(kind)}`, read.json);
    expect(read.text).not.toContain("At home");

    expect((await ask(change, { method: "PUT", body, params })).json.code).toBe("version-required");
    const changed = await ask(change, { method: "PUT", body, params, ifMatch: '"1"' });
    expect([changed.status, changed.headers.get("etag")]).toEqual([200, '"2"']);
    promised(`change${word(kind)}`, changed.json);
    const stale = await ask(change, { method: "PUT", body, params, ifMatch: '"1"' });
    expect([stale.status, stale.json.code, stale.json.title]).toEqual([412, "version-stale", "It has changed since you read it."]);

    const ended = await ask(end, { method: "POST", params, ifMatch: '"2"' });
    expect([ended.status, ended.json.state]).toEqual([200, "ENDED"]);
    promised(`end${word(kind)}`, ended.json);
    expect((await ask(get, { method: "GET", params })).json.code).toBe("not-found");
    expect((await ask(end, { method: "POST", params, ifMatch: '"3"' })).json.code).toBe("not-found");
  });

  it("is nobody's without the right, named in one's own clinic; unknown fields and no key are refused", async () => {
    const { add, preview } = handlers[kind];
    const body = bodies()[kind];
    const reader = await insertToken(db.migrator, world.t1.tenantGroupId, [ber.id], ["clinics:read", "hours:write"]);
    for (const [as, clinicId, expected] of [
      [reader, ber.id, { code: "right-missing", right: "facts:write" }],
      [token, world.t1.nyc.id, { code: "not-found" }],
      [token, newUuid(), { code: "not-found" }],
      [null, ber.id, { code: "signed-out" }],
    ] as const)
      for (const handler of [add, preview])
        expect((await ask(handler, { method: "POST", body, as, clinicId })).json).toMatchObject(expected);
    expect((await ask(add, { method: "POST", body, key: null })).json.code).toBe("idempotency-key-required");
    expect((await ask(add, { method: "POST", body: { ...body, note: "x" } })).json.code).toBe("request-invalid");
    expect((await ask(add, { method: "POST", body: { ...body, from: "soon" } })).json.code).toBe("request-invalid");
  });
});

describe("facts and visits", () => {
  it("the visits of the preview are those of the answer, and a booking meets the fact at once", async () => {
    const visit = await callApi("createAppointment", {
      token,
      clinicId: ber.id,
      body: {
        patient: { id: world.t1.patients[0]?.id },
        treatmentId: ber.treatments.VISIT30,
        doctorId: ber.doctors[0]?.id,
        startsAt: at(ber.zone, "10:00"),
      },
    });
    expect(visit.status).toBe(201);
    const body = bodies().absence;
    const preview = await ask(facts.postAbsencePreview, { method: "POST", body, key: null });
    const added = await ask(facts.postAbsence, { method: "POST", body });
    expect(added.json.affected).toEqual(preview.json);
    expect(preview.json.visits).toEqual([
      {
        id: visit.json.id,
        ref: visit.json.ref,
        status: "CONFIRMED",
        startsAt: visit.json.startsAt,
        endsAt: visit.json.endsAt,
        doctorId: ber.doctors[0]?.id,
        patientRef: "PT-000001",
      },
    ]);
    const late = await callApi("createAppointment", {
      token,
      clinicId: ber.id,
      body: {
        patient: { id: world.t1.patients[1]?.id },
        treatmentId: ber.treatments.VISIT30,
        doctorId: ber.doctors[0]?.id,
        startsAt: at(ber.zone, "11:00"),
      },
    });
    expect(late.json).toMatchObject({ code: "not-available", blockers: [{ code: "DOCTOR_ABSENT" }] });
    const invalid = await ask(facts.postOutage, { method: "POST", body: { ...bodies().outage, units: 9 } });
    expect([invalid.status, invalid.json]).toMatchObject([422, { code: "fact-invalid", why: "UNITS_TOO_MANY" }]);
  });
});

describe("weekly hours over HTTP", () => {
  const hours = workdays.flatMap((weekday) => usualHours.map(([from, until]) => ({ weekday, from, until })));

  it.each(["clinic", "doctor"])("of a %s are read, previewed and replaced by version", async (whose) => {
    const doctorId = ber.doctors[1]?.id as string;
    const params: Record<string, string> = whose === "doctor" ? { doctorId } : {};
    const operation = whose === "doctor" ? "Doctor" : "Clinic";
    const read = await ask(facts.getWeeklyHours, { method: "GET", params });
    expect([read.status, read.headers.get("etag"), read.json.hours]).toEqual([200, '"1"', hours]);
    promised(`get${operation}Hours`, read.json);
    const shorter = { hours: hours.slice(1) };
    const preview = await ask(facts.postHoursPreview, { method: "POST", body: shorter, params, key: null });
    promised(`preview${operation}Hours`, preview.json);
    const changed = await ask(facts.putWeeklyHours, { method: "PUT", body: shorter, params, ifMatch: '"1"' });
    expect([changed.status, changed.headers.get("etag"), changed.json.affected]).toEqual([200, '"2"', preview.json]);
    promised(`change${operation}Hours`, changed.json);
    expect((await ask(facts.putWeeklyHours, { method: "PUT", body: { hours }, params, ifMatch: '"1"' })).status).toBe(412);
    expect((await ask(facts.putWeeklyHours, { method: "PUT", body: { hours }, params, ifMatch: '"2"' })).status).toBe(200);
    const desk = await insertToken(db.migrator, world.t1.tenantGroupId, [ber.id], ["facts:write", "clinics:read"]);
    expect((await ask(facts.putWeeklyHours, { method: "PUT", body: { hours }, params, ifMatch: '"3"', as: desk })).json).toMatchObject({
      code: "right-missing",
      right: "hours:write",
    });
    const nobody = await ask(facts.getWeeklyHours, { method: "GET", params: { doctorId: newUuid() } });
    expect(nobody.json.code).toBe("not-found");
  });
});
