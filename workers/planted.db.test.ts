// A person is planted through the real commands, everything runs, and then every place that is not the person's own is searched: no name, phone, mail
// address, birth date or note may be there, neither as text nor as a plain digest.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { systemClock } from "@/server/clock";
import { sealOnce } from "@/server/domain/audit/seal-once";
import { verifyOnce } from "@/server/domain/audit/verify-once";
import { runDrillOnce } from "@/server/domain/drills/run-drill-once";
import { drillDeps } from "@/server/domain/drills/testing";
import { testControl } from "@/server/domain/inbox/testing";
import { runReplayOnce } from "@/server/domain/replay/run-replay-once";
import { testReason, wideBounds } from "@/server/domain/replay/testing";
import { webEnv } from "@/server/env";
import { at, callApi, insertToken, newKey, setWebEnvironment } from "@/server/http/operations/testing";
import { newUuid } from "@/server/ids";
import { CheckpointKeeper } from "./audit-sealer";
import { logicalConsumers } from "./logical-consumers";
import { countDispatch, countRelay, countReplay, gatherGauges } from "./metrics";
import { World } from "./model/testing/world";
import {
  callerOf,
  found,
  foundIn,
  foundInLog,
  foundInMetrics,
  foundInTable,
  foundInTables,
  note,
  planted,
  refusalOf,
} from "./testing/planted";

const captured = vi.hoisted(() => ({ lines: [] as string[] }));
vi.mock("@/server/logger", async () => {
  const { default: pino } = await import("pino");
  return { logger: pino({ level: "trace" }, { write: (line: string) => void captured.lines.push(line) }) }; // without the redaction that the product adds
});

vi.mock("@/server/http/web-event-log", () => ({ webEventLog: async () => world.log }));

let world: World;
let token: string;
const seen: string[] = [];

beforeAll(async () => {
  world = await World.open();
  setWebEnvironment(world.db.urls.web);
  const { t1 } = world.fixture;
  token = await insertToken(world.db.migrator, t1.tenantGroupId, [t1.ber.id]);
  await liveThrough();
});
afterAll(() => world.db.close());

/** Adds the person, books, moves, is refused, releases and cancels, at the desk and over HTTP; then relay, consumers and dispatcher run. */
async function liveThrough(): Promise<void> {
  const { ber } = world.fixture.t1;
  const desk = await callerOf(world, "FRONT_DESK");
  const clinicId = ber.id;
  const added = await desk.desk.addPatient({ clinicId, key: newKey(), patient: { ...planted, language: "en", acknowledged: [] } });
  const patientId = added.body.id as string;
  const twin = await desk.desk.addPatient({ clinicId, key: newKey(), patient: { ...planted, language: "en", acknowledged: [] } });
  expect(twin.status).toBe(409);
  const visitAt = (clock: string) => ({
    patient: { id: patientId },
    treatmentId: ber.treatments.VISIT15,
    doctorId: ber.doctors[0]?.id as string,
    startsAt: at("Europe/Berlin", clock),
    note,
  });
  const booked = await desk.desk.book({ clinicId, key: newKey(), visit: visitAt("09:00") });
  expect(booked.status).toBe(201);
  const change = { clinicId, appointmentId: booked.body.id as string };
  const taken = await desk.desk.book({ clinicId, key: newKey(), visit: visitAt("09:00") });
  expect(taken.body.code).toBe("slot-taken");
  await desk.desk.reschedule({ ...change, key: newKey(), version: "1", change: { startsAt: at("Europe/Berlin", "09:30"), note } });
  await desk.desk.changeStatus({ ...change, key: newKey(), version: "2", change: { to: "PENDING_RESCHEDULE", reasonCode: "OTHER", note } });
  await desk.desk.cancel({ ...change, key: newKey(), version: "3", change: { reasonCode: "OTHER", note } });
  const api = (body: unknown, more = {}) => callApi("createAppointment", { clinicId, token, body, ...more });
  const overApi = await api(visitAt("10:00"));
  expect(overApi.status).toBe(201);
  // what is wrong, in every place where it could be said back
  const wrong = [
    api({ ...visitAt("11:00"), name: planted.name }),
    api({ ...visitAt("11:00"), [planted.name]: 1 }),
    api({ ...visitAt("11:00"), treatmentId: planted.email }),
    api(`{"note":"${note}","note":"${planted.name}"}`),
    api(`{"note":"${planted.name}\\ud800"}`),
    api(visitAt("11:00"), { key: planted.phone }),
    api(visitAt("11:00"), { token: planted.email }),
    api(visitAt("11:00"), { clinicId: planted.email }),
    api(visitAt("11:00"), {
      headers: { "x-request-id": planted.name.normalize("NFD").replace(/[^\x20-\x7e]/g, ""), traceparent: planted.phone },
    }),
    callApi("listSlots", { clinicId, token, query: { treatmentId: planted.email, from: planted.birthDate } }),
    callApi("getAppointment", { clinicId, token, id: planted.email }),
  ];
  for (const reply of await Promise.all(wrong)) if (reply.status !== 201) expect(found(reply.text)).toEqual([]);
  for (const operation of ["getAppointment", "getAppointmentHistory"] as const)
    seen.push((await callApi(operation, { clinicId, token, id: booked.body.id as string })).text);
  seen.push((await callApi("listAppointments", { clinicId, token, query: { date: at("Europe/Berlin", "09:00").slice(0, 10) } })).text);
  seen.push(overApi.text, JSON.stringify([added, twin, booked, taken]));

  await world.consume();
  countRelay(await world.relay("relay-1", 100));
  await world.consume(true); // twice: duplicates are records too
  await world.drain();
  countDispatch({ ...(await world.dispatch()) });
  await gatherGauges(world.db.worker, world.log, logicalConsumers, []);
}

describe("of a planted person", () => {
  it("the search finds what is there: in patients, in the mailbox and in the note of the history", async () => {
    expect(await foundInTable(world, "patients")).toContain("Plantedname");
    expect(await foundInTable(world, "mailbox_messages")).toContain("planted.mail");
    expect(await foundInTable(world, "appointment_history")).toContain("Plantednote");
  });

  it("nothing is in an answer of the API or of a command", () => {
    expect(seen.flatMap(found)).toEqual([]);
  });

  it("O-G nothing is in an answer that STAFF get", async () => {
    const staff = await callerOf(world, "STAFF");
    const queue = await staff.delivery.queue({ filter: {} });
    const answers: unknown[] = [
      queue,
      await staff.delivery.counts({}),
      await staff.delivery.needsDecision({}),
      await staff.delivery.consumers({}),
      await staff.delivery.head({ filter: {} }),
      await staff.session.me(),
    ];
    for (const { id } of queue.rows) answers.push(await staff.delivery.evidence({ id }));
    for (const search of [planted.name, planted.phone, planted.email])
      answers.push((await staff.delivery.queue({ filter: { search } })).rows, await staff.stories.find({ text: search }));
    const stories = await staff.stories.list({});
    expect(stories.lines.length).toBeGreaterThan(3);
    answers.push(stories, await staff.workers.health({}), await staff.delivery.groups({}), await staff.replay.jobs({}));
    answers.push(await staff.planningViews.queue({ filter: {} }), await staff.planningViews.counts({}), await staff.drills.list({}));
    answers.push((await staff.audit.list({ filter: {} })).rows); // its entries and exports: below
    for (const { commandId } of stories.lines)
      answers.push(
        await staff.stories.head({ commandId }),
        await staff.stories.records({ commandId }),
        await staff.stories.export({ commandId }),
      );
    expect(answers.length).toBeGreaterThan(10);
    expect(foundIn(answers)).toEqual([]);
  });

  it("nothing is in what a stopped event leads to: reasons, views, colleagues, a replay with its receipt, a drill", async () => {
    const clinicId = world.fixture.t1.ber.id;
    const [row] = await world.db.superuser.$client`
      update inbox set state = 'QUARANTINED', quarantined_at = clock_timestamp(), reason_code = 'HANDLER_FAILED', processed_at = null, effect = null,
        version = version + 1
      where id = (select id from inbox where consumer = 'daily-load-v1' and clinic_id = ${clinicId} order by aggregate_seq desc limit 1)
      returning id, consumer, version`;
    const staff = await callerOf(world, "STAFF");
    const operator = await callerOf(world, "APPOINTMENT_REPLAY_OPERATOR");
    const requestId = newUuid();
    const groups = await staff.delivery.groups({});
    expect(JSON.stringify(groups)).toContain("HANDLER_FAILED");
    const selection = { kind: "row" as const, consumer: row?.consumer, inboxId: row?.id, rowVersion: row?.version };
    const preview = await operator.replay.preview({ clinicId, requestId, selection });
    const digest = preview.request?.manifestDigest as string;
    const approved = await operator.replay.approve({ clinicId, requestId, digest, bounds: wideBounds, reason: testReason });
    const runtime = {
      db: world.db.worker,
      worker: "runner-1",
      logId: await world.log.logId(),
      ring: webEnv().DIGEST_KEYS,
      clock: systemClock,
    };
    const ran = await runReplayOnce({ ...runtime, random: () => 0 }, world.log, logicalConsumers, testControl());
    expect(ran).toMatchObject({ state: "COMPLETED", ran: 1 });
    countReplay("COMPLETED", 1);
    const job = { clinicId, requestId };
    const late = [
      operator.replay.pause(job),
      operator.replay.resume(job),
      operator.replay.cancel(job),
      operator.replay.approveSecond({ ...job, digest }),
      operator.replay.preview({ clinicId, requestId: newUuid(), selection: { ...selection, consumer: planted.name } }),
      operator.replay.approve({ ...job, digest: planted.email, bounds: wideBounds, reason: testReason }),
      staff.replay.job({ job: planted.email }),
      staff.replay.receipt({ job: planted.phone }),
      staff.replay.export({ job: planted.birthDate }),
    ].map((asked) => asked.then((answer) => ({ answer }), refusalOf));
    const started = await staff.drills.start({ clinicId, key: newKey(), drill: "double-click" });
    expect(await runDrillOnce(drillDeps(world.db))).toEqual({ claimed: 1, ended: "PASSED" });
    const open = await staff.drills.start({ clinicId, key: newKey(), drill: "double-click" });
    const answers: unknown[] = [
      ...(await Promise.all(late)),
      await staff.drills.stop({ clinicId, key: newKey(), run: open.body.id as string }),
      await runDrillOnce(drillDeps(world.db)),
      await staff.drills.record({
        clinicId,
        key: newKey(),
        drill: "broker-down",
        change: { people: 2, minutes: 30, result: "PASSED", note: "As the runbook says" },
      }),
      groups,
      preview,
      approved,
      started,
      await staff.delivery.evidence({ id: `inbox.${row?.id}` }),
      await staff.delivery.colleagues({}),
      await staff.savedViews.list({ screen: "DELIVERY" }),
      await staff.replay.jobs({}),
      await staff.replay.job({ job: requestId }),
      await staff.replay.ofRow({ inboxId: row?.id }),
      await staff.replay.receipt({ job: requestId }),
      await staff.replay.export({ job: requestId }),
      await staff.drills.list({}),
      await staff.drills.runs({ drill: "double-click" }),
    ];
    expect(answers.every((answer) => answer !== null)).toBe(true);
    expect(foundIn(answers)).toEqual([]);
  });

  it("nothing is in the audit: its pages, its entries, what it is searched for, and its exports", async () => {
    const staff = await callerOf(world, "STAFF");
    await sealOnce(world.db.worker, { worker: "sealer", ring: webEnv().DIGEST_KEYS });
    await staff.audit.verify({});
    expect(await new CheckpointKeeper(world.db.worker, "sealer", webEnv().DIGEST_KEYS, undefined).leave()).toBeGreaterThan(0);
    const verified = await verifyOnce(world.db.worker, {
      worker: "sealer",
      ring: webEnv().DIGEST_KEYS,
      checkpoints: () => [],
      everySeconds: 60,
    });
    expect(verified).toEqual({ verified: 1, faults: 0 });
    for (const clinic of [planted.name, planted.email]) await expect(staff.audit.list({ clinic })).rejects.toThrow();
    const { rows } = await staff.audit.list({ filter: {} });
    expect(new Set(rows.map((row) => row.act)).size).toBeGreaterThan(4);
    const answers: unknown[] = [rows, await staff.audit.count({}), await staff.audit.acts({}), await staff.audit.chain({})];
    for (const { id } of rows) answers.push(await staff.audit.entry({ id }));
    for (const search of [planted.name, planted.phone, planted.email, note])
      answers.push((await staff.audit.list({ filter: { search } })).rows);
    for (const format of ["csv", "json"] as const) answers.push(await staff.audit.export({ filter: {}, format }));
    expect(foundIn(answers)).toEqual([]);
  });

  it("O-12 nothing is in any other table or column, after all of it", async () => {
    const { places, rows } = await foundInTables(world);
    expect(places).toEqual([]);
    expect(rows).toBeGreaterThan(200);
  });

  it("nothing is in a record of the log", async () => {
    const { words, records } = await foundInLog(world.log, "appointment.v1");
    expect(records).toBeGreaterThan(4);
    expect(words).toEqual([]);
  });

  it("nothing is in a line that was logged, or in a metric", async () => {
    expect(captured.lines.length).toBeGreaterThan(10);
    expect(captured.lines.flatMap(found)).toEqual([]);
    expect(await foundInMetrics()).toEqual([]);
  });
});
