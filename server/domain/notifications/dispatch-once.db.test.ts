import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { type ClinicFixture, createClinicFixture, type FixturePatient } from "@/server/domain/clinics/testing";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { createCircuit } from "./circuit";
import { type Claim, claimIntents } from "./claim-intents";
import { type Dispatcher, dispatchOnce } from "./dispatch-once";
import { mailboxProvider } from "./mailbox";
import { type NotificationProvider, reject, retry, sent, unknown } from "./provider";
import { recordIntent } from "./record-intent";
import { giveBack } from "./settle-intent";
import { attemptsMax } from "./states";
import { changeVisit, insertIntent, insertVisit, stubProvider, type TestVisit } from "./testing";

let db: TestDatabase;
let fixture: ClinicFixture;

beforeAll(async () => {
  db = await createTestDatabase();
  fixture = await createClinicFixture(db.migrator, { patients: 3 });
});
afterAll(() => db.close());
beforeEach(() =>
  db.superuser.$client.unsafe("truncate notification_deliveries, mailbox_messages, notification_intents, reminders cascade"),
);
afterEach(clearTestPoints);

const patient = (n = 0) => fixture.t1.patients[n] as FixturePatient;
const visit = (options?: Parameters<typeof insertVisit>[3]) => insertVisit(db.migrator, fixture.t1.ber, patient(), options);
const booked = async (of?: TestVisit) => insertIntent(db.web, of ?? (await visit()), "BOOKED");
const dispatcher = (provider: NotificationProvider, rest: Partial<Dispatcher> = {}): Dispatcher => ({
  provider,
  circuit: createCircuit(systemClock),
  clock: systemClock,
  worker: "dispatch-1",
  ...rest,
});
const intent = async (id: string) => (await db.superuser.$client`select * from notification_intents where id = ${id}`)[0];
const deliveries = (id: string) =>
  db.superuser
    .$client`select outcome, reason_code, attempt, fence, worker from notification_deliveries where intent_id = ${id} order by at`;
const backdateLease = (id: string) =>
  db.superuser.$client`update notification_intents set lease_until = clock_timestamp() - interval '1 second' where id = ${id}`;
const makeDue = () => db.superuser.$client`update notification_intents set next_attempt_at = clock_timestamp() where state = 'RETRY_WAIT'`;

describe("one pass of the dispatcher", () => {
  it("sends what is due once, under the intent's own id, and notes what the patient has been told", async () => {
    const of = await visit({ version: 3 });
    const id = await insertIntent(db.web, of, "MOVED", 3);
    const provider = stubProvider();
    expect(await dispatchOnce(db.worker, dispatcher(provider))).toMatchObject({ claimed: 1, sent: 1 });
    expect(await dispatchOnce(db.worker, dispatcher(provider))).toMatchObject({ claimed: 0 });
    expect(provider.calls.map((message) => message.intentId)).toEqual([id]);
    expect(await intent(id)).toMatchObject({ state: "SENT", attempts: 1, provider: "stub", lease_owner: null, reason_code: null });
    expect(await deliveries(id)).toMatchObject([{ outcome: "SENT", attempt: 1 }]);
    const [row] = await db.superuser.$client`select told_placement_version, version from appointments where id = ${of.id}`;
    expect(row).toMatchObject({ told_placement_version: "3", version: "3" });
  });

  it("takes no more than its batch", async () => {
    for (let i = 0; i < 4; i++) await booked();
    const provider = stubProvider();
    expect(await dispatchOnce(db.worker, dispatcher(provider), { batchMax: 3 })).toMatchObject({ claimed: 3, sent: 3 });
    expect(provider.calls).toHaveLength(3);
  });

  it("an intent that was never committed is never sent (H-D2)", async () => {
    const { tenantGroupId, clinicId, commandId, patientId, id: appointmentId } = await visit();
    const booking = withTx(db.web, { tenantGroupId, clinicIds: [clinicId] }, async (tx) => {
      await recordIntent(tx, { tenantGroupId, clinicId, commandId, appointmentId, appointmentVersion: 1, patientId, kind: "BOOKED" });
      throw new Error("deposit refused");
    });
    await expect(booking).rejects.toThrow("deposit refused");
    expect(await dispatchOnce(db.worker, dispatcher(stubProvider()))).toMatchObject({ claimed: 0 });
  });

  it("one change has one message of a kind, whoever asks again (H-B1)", async () => {
    const of = await visit();
    await booked(of);
    await expect(booked(of)).rejects.toMatchObject({ cause: { constraint_name: "notification_intents_change_key" } });
  });
});

describe("still true at the moment of sending", () => {
  const endOf = async (id: string) => {
    const provider = stubProvider();
    await dispatchOnce(db.worker, dispatcher(provider));
    const row = await intent(id);
    return [row?.state, row?.reason_code, provider.calls.length];
  };

  it("a booking that was cancelled meanwhile is not told; the cancellation is (H-C1)", async () => {
    const of = await visit();
    const first = await booked(of);
    await changeVisit(db.migrator, of, { status: "CANCELLED" });
    const second = await insertIntent(db.web, of, "CANCELLED", 2);
    expect(await endOf(first)).toEqual(["SUPPRESSED", "VISIT_CANCELLED", 1]);
    expect(await intent(second)).toMatchObject({ state: "SENT" });
    expect(await deliveries(first)).toMatchObject([{ outcome: "SUPPRESSED", reason_code: "VISIT_CANCELLED" }]);
  });

  it("a booking that was moved meanwhile is superseded by the message of the move", async () => {
    const of = await visit();
    const first = await booked(of);
    await changeVisit(db.migrator, of, {});
    await insertIntent(db.web, of, "MOVED", 2);
    expect(await endOf(first)).toEqual(["SUPPRESSED", "SUPERSEDED", 1]);
  });

  it("a version without a message of its own takes nothing from a booking", async () => {
    const of = await visit();
    const id = await booked(of);
    await changeVisit(db.migrator, of, {}); // a note, or a check-in that was undone
    expect(await endOf(id)).toEqual(["SENT", null, 1]);
  });

  it.each([
    ["CHECKED_IN", "VISIT_STARTED"],
    ["NO_SHOW", "VISIT_STARTED"],
    ["PENDING_RESCHEDULE", "AWAITING_NEW_TIME"],
    ["REQUESTED", "NOT_CONFIRMED"],
  ])("a booking whose visit is %s ends SUPPRESSED: %s", async (status, reason) => {
    expect(await endOf(await booked(await visit({ status })))).toEqual(["SUPPRESSED", reason, 0]);
  });

  it("nothing is sent after the visit has begun (H-C3)", async () => {
    expect(await endOf(await booked(await visit({ startsAt: "2025-02-03T09:00:00Z" })))).toEqual(["SUPPRESSED", "VISIT_STARTED", 0]);
  });

  it("a patient whom the provider cannot reach is suppressed, not retried", async () => {
    const id = await booked();
    const provider = { ...stubProvider(), addressOf: () => null };
    expect(await dispatchOnce(db.worker, dispatcher(provider))).toMatchObject({ suppressed: 1 });
    expect(await intent(id)).toMatchObject({ state: "SUPPRESSED", reason_code: "NO_ADDRESS", provider: "stub" });
  });
});

describe("two dispatchers", () => {
  it("at once send each message once", async () => {
    for (let i = 0; i < 10; i++) await booked();
    const provider = stubProvider();
    let arrived = 0;
    let bothHere: () => void;
    const both = new Promise<void>((resolve) => {
      bothHere = resolve;
    });
    setTestPoint("dispatch.afterClaim", () => (++arrived === 2 ? bothHere() : both));
    const [one, two] = await Promise.all([
      dispatchOnce(db.worker, dispatcher(provider), { batchMax: 5 }),
      dispatchOnce(db.worker, dispatcher(provider, { worker: "dispatch-2" }), { batchMax: 5 }),
    ]);
    expect([one?.sent, two?.sent]).toEqual([5, 5]);
    expect(new Set(provider.calls.map((message) => message.intentId)).size).toBe(10);
    expect(provider.calls).toHaveLength(10);
  });

  it("a row that another transaction holds is skipped, not waited for", async () => {
    const held = await booked();
    const free = await booked();
    await db.superuser.$client.begin(async (sql) => {
      await sql`select 1 from notification_intents where id = ${held} for no key update`;
      expect(await dispatchOnce(db.worker, dispatcher(stubProvider()))).toMatchObject({ claimed: 1, sent: 1 });
    });
    expect(await intent(free)).toMatchObject({ state: "SENT" });
    expect(await intent(held)).toMatchObject({ state: "PENDING" });
  });

  it("a late worker whose message was taken over changes nothing: its attempt ends FENCED", async () => {
    const id = await booked();
    const provider = stubProvider();
    setTestPoint("dispatch.afterCall", async () => {
      clearTestPoints();
      await backdateLease(id); // the first worker is paused here while its lease ends
      expect(await dispatchOnce(db.worker, dispatcher(provider, { worker: "dispatch-2" }))).toMatchObject({ claimed: 1, sent: 1 });
    });
    expect(await dispatchOnce(db.worker, dispatcher(provider))).toMatchObject({ claimed: 1, sent: 0, fenced: 1 });
    expect(await intent(id)).toMatchObject({ state: "SENT", attempts: 2, fence: "2" });
    expect(await deliveries(id)).toMatchObject([
      { outcome: "UNKNOWN", reason_code: "LEASE_EXPIRED", attempt: 1, fence: "1", worker: "dispatch-1" },
      { outcome: "SENT", attempt: 2, fence: "2", worker: "dispatch-2" },
      { outcome: "FENCED", reason_code: "SENT", attempt: 1, fence: "1", worker: "dispatch-1" },
    ]);
  });

  it("a worker that wakes up before its call, after a take-over, does not call", async () => {
    const id = await booked();
    const provider = stubProvider();
    setTestPoint("dispatch.afterClaim", async () => {
      clearTestPoints();
      await backdateLease(id);
      await dispatchOnce(db.worker, dispatcher(provider, { worker: "dispatch-2" }));
    });
    expect(await dispatchOnce(db.worker, dispatcher(provider))).toMatchObject({ claimed: 1, fenced: 1, sent: 0 });
    expect(provider.calls).toHaveLength(1);
  });
});

describe("a worker that wakes up while its successor is at work", () => {
  const worker = (n: number, provider: NotificationProvider) => dispatchOnce(db.worker, dispatcher(provider, { worker: `dispatch-${n}` }));
  const gate = () => {
    let open!: () => void;
    const passed = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { open, passed };
  };

  /** Pauses the first worker at a point until the second, which took its message over, is between its call and its settlement. */
  async function race(point: string) {
    const id = await booked();
    const provider = stubProvider();
    const secondCalled = gate();
    const firstEnded = gate();
    let second: ReturnType<typeof worker> | undefined;
    setTestPoint(point, async () => {
      if (second) return;
      second = Promise.resolve().then(async () => {
        await backdateLease(id);
        return worker(2, provider);
      });
      setTestPoint("dispatch.afterCall", async () => {
        setTestPoint("dispatch.afterCall", () => {});
        secondCalled.open();
        await firstEnded.passed;
      });
      await secondCalled.passed;
    });
    const first = await worker(1, provider);
    firstEnded.open();
    return { id, provider, first, second: await second };
  }

  it("before its last look: it does not call", async () => {
    const { id, provider, first, second } = await race("dispatch.afterClaim");
    expect([first.fenced, second?.sent]).toEqual([1, 1]);
    expect(provider.calls).toHaveLength(1);
    expect(await intent(id)).toMatchObject({ state: "SENT", fence: "2", attempts: 2 });
  });

  it("after its call: it cannot end the successor's attempt", async () => {
    const { id, first, second } = await race("dispatch.afterCall");
    expect([first.fenced, second?.sent]).toEqual([1, 1]);
    expect(await intent(id)).toMatchObject({ state: "SENT", fence: "2", attempts: 2 });
    expect((await deliveries(id)).map((row) => [row.outcome, row.worker])).toEqual([
      ["UNKNOWN", "dispatch-1"],
      ["FENCED", "dispatch-1"],
      ["SENT", "dispatch-2"],
    ]);
  });

  it("with too little time left: it cannot give the successor's message back", async () => {
    const id = await booked();
    const [claim] = await withTx(db.worker, { worker: "dispatch-1" }, (tx) =>
      claimIntents(tx, { worker: "dispatch-1", provider: stubProvider(), batchMax: 1, leaseTtlMs: 30_000 }),
    ).then(({ claims }) => claims);
    await backdateLease(id);
    setTestPoint("dispatch.afterClaim", async () => {
      expect(await withTx(db.worker, { worker: "dispatch-1" }, (tx) => giveBack(tx, claim as Claim, "LEASE_SHORT"))).toBe(false);
    });
    expect(await worker(2, stubProvider())).toMatchObject({ sent: 1 });
  });
});

describe("a worker that died", () => {
  const die = () => setTestPoint("dispatch.afterClaim", () => Promise.reject(new Error("killed")));
  const dieAfterHandOver = () => setTestPoint("dispatch.afterCall", () => Promise.reject(new Error("killed")));
  const run = (provider: NotificationProvider) => dispatchOnce(db.worker, dispatcher(provider)).catch(() => "killed");

  it("after the hand-over, to a provider that is idempotent by key: sent again under the same key", async () => {
    const id = await booked();
    const provider = mailboxProvider(db.worker, "dispatch-1");
    dieAfterHandOver();
    expect(await run(provider)).toBe("killed");
    clearTestPoints();
    await backdateLease(id);
    expect(await run(provider)).toMatchObject({ claimed: 1, sent: 1 });
    expect(await intent(id)).toMatchObject({ state: "SENT", attempts: 2, fence: "2" });
    expect(await db.superuser.$client`select 1 from mailbox_messages`).toHaveLength(1);
  });

  it("after the hand-over, to any other provider: UNKNOWN, and never sent again", async () => {
    const id = await booked();
    const provider = { ...stubProvider(), idempotentByKey: false };
    dieAfterHandOver();
    expect(await run(provider)).toBe("killed");
    clearTestPoints();
    await backdateLease(id);
    expect(await run(provider)).toMatchObject({ claimed: 0, unknown: 1 });
    expect(await intent(id)).toMatchObject({ state: "UNKNOWN", reason_code: "LEASE_EXPIRED", attempts: 1, provider: "stub" });
    expect(await run(provider)).toMatchObject({ claimed: 0, unknown: 0 });
    expect(provider.calls).toHaveLength(1);
  });

  it("after the hand-over, and the visit changed meanwhile: UNKNOWN, not SUPPRESSED, for the patient may have heard", async () => {
    const of = await visit();
    const id = await booked(of);
    const provider = mailboxProvider(db.worker, "dispatch-1");
    dieAfterHandOver();
    expect(await run(provider)).toBe("killed");
    clearTestPoints();
    await changeVisit(db.migrator, of, { status: "CANCELLED" });
    await backdateLease(id);
    expect(await run(provider)).toMatchObject({ claimed: 1, unknown: 1, suppressed: 0 });
    expect(await intent(id)).toMatchObject({ state: "UNKNOWN", reason_code: "VISIT_CANCELLED" });
    expect(await db.superuser.$client`select 1 from mailbox_messages`).toHaveLength(1);
  });

  it("before the hand-over: sent, whatever the provider promises", async () => {
    const id = await booked();
    const provider = { ...stubProvider(), idempotentByKey: false };
    die();
    expect(await run(provider)).toBe("killed");
    clearTestPoints();
    await backdateLease(id);
    expect(await run(provider)).toMatchObject({ claimed: 1, sent: 1 });
    expect(await intent(id)).toMatchObject({ state: "SENT", attempts: 2 });
    expect(await deliveries(id)).toMatchObject([{ outcome: "RETRY_WAIT", reason_code: "LEASE_EXPIRED" }, { outcome: "SENT" }]);
  });

  it("before the hand-over of a second attempt: the first one, refused, leaves no doubt about the second", async () => {
    const id = await booked();
    const provider = { ...stubProvider((_, call) => (call === 1 ? retry("SMTP_450") : sent("x"))), idempotentByKey: false };
    expect(await run(provider)).toMatchObject({ retried: 1 });
    await makeDue();
    die();
    expect(await run(provider)).toBe("killed");
    clearTestPoints();
    await backdateLease(id);
    expect(await run(provider)).toMatchObject({ claimed: 1, sent: 1, unknown: 0 });
  });

  it("each time: its message is given up after the last attempt", async () => {
    const id = await booked();
    die();
    for (let n = 1; n <= attemptsMax; n++) {
      await run(stubProvider());
      await backdateLease(id);
    }
    clearTestPoints();
    expect(await run(stubProvider())).toMatchObject({ claimed: 0, exhausted: 1 });
    expect(await intent(id)).toMatchObject({ state: "EXHAUSTED", reason_code: "LEASE_EXPIRED", attempts: attemptsMax });
  });
});

describe("the lease and the call", () => {
  it("no call is made when less of the lease is left than the call may take", async () => {
    const id = await booked();
    const provider = stubProvider();
    let ms = 0;
    setTestPoint("dispatch.afterPrepare", () => {
      ms = 11_000; // a pause of the process, seen by its monotonic clock
    });
    const slow = dispatcher(provider, { clock: { monotonicMs: () => ms } });
    expect(await dispatchOnce(db.worker, slow, { leaseTtlMs: 30_000, callTimeoutMs: 15_000, leaseMarginMs: 5_000 })).toMatchObject({
      givenBack: 1,
    });
    expect(provider.calls).toHaveLength(0);
    expect(await intent(id)).toMatchObject({ state: "RETRY_WAIT", reason_code: "LEASE_SHORT", attempts: 0, provider: null });
  });

  it.each([
    [true, "RETRY_WAIT"],
    [false, "UNKNOWN"],
  ])("a provider that does not answer in time, idempotent by key %s: %s", async (idempotentByKey, state) => {
    const id = await booked();
    const silent = { ...stubProvider(() => new Promise<never>(() => {})), idempotentByKey };
    await dispatchOnce(db.worker, dispatcher(silent), { callTimeoutMs: 20 });
    expect(await intent(id)).toMatchObject({ state, reason_code: "CALL_TIMEOUT" });
    expect(await deliveries(id)).toMatchObject([{ outcome: "UNKNOWN", reason_code: "CALL_TIMEOUT" }]);
  });
});

describe("what a provider answers", () => {
  it("a refusal for now waits and is tried again; after the last attempt it is EXHAUSTED", async () => {
    const id = await booked();
    const provider = stubProvider(() => retry("SMTP_450"));
    await dispatchOnce(db.worker, dispatcher(provider, { random: () => 1 }));
    expect(await intent(id)).toMatchObject({ state: "RETRY_WAIT", reason_code: "SMTP_450", attempts: 1 });
    const [wait] = await db.superuser.$client`
      select extract(epoch from next_attempt_at - clock_timestamp())::float8 as s from notification_intents`;
    expect(wait?.s).toBeGreaterThan(3);
    expect(await dispatchOnce(db.worker, dispatcher(provider))).toMatchObject({ claimed: 0 }); // not due yet
    for (let n = 2; n <= attemptsMax; n++) {
      await makeDue();
      await dispatchOnce(db.worker, dispatcher(provider));
    }
    expect(await intent(id)).toMatchObject({ state: "EXHAUSTED", reason_code: "SMTP_450", attempts: attemptsMax });
    expect(await deliveries(id)).toHaveLength(attemptsMax);
    expect(provider.calls).toHaveLength(attemptsMax);
    expect(new Set(provider.calls.map((message) => message.intentId))).toEqual(new Set([id]));
  });

  it("a refusal for good ends at once, a lost answer ends UNKNOWN", async () => {
    const first = await booked();
    await dispatchOnce(db.worker, dispatcher(stubProvider(() => reject("SMTP_550"))));
    expect(await intent(first)).toMatchObject({ state: "EXHAUSTED", reason_code: "SMTP_550", attempts: 1 });
    const second = await booked();
    const lossy = { ...stubProvider(() => unknown("CONNECTION_LOST_AFTER_DATA")), idempotentByKey: false };
    await dispatchOnce(db.worker, dispatcher(lossy));
    expect(await intent(second)).toMatchObject({ state: "UNKNOWN", reason_code: "CONNECTION_LOST_AFTER_DATA" });
    expect(await dispatchOnce(db.worker, dispatcher(lossy))).toMatchObject({ claimed: 0 });
  });

  it("a provider that throws holds up nobody else", async () => {
    const bad = await booked();
    const good = await booked();
    const provider = stubProvider((message) => {
      if (message.intentId === bad) throw new Error("boom");
      return sent("x");
    });
    await dispatchOnce(db.worker, dispatcher(provider));
    expect(await intent(bad)).toMatchObject({ state: "RETRY_WAIT", reason_code: "PROVIDER_FAILED" });
    expect(await intent(good)).toMatchObject({ state: "SENT" });
  });

  it("a text that cannot be made is a fault of its message only, with a reason, and bounded (H-A8)", async () => {
    const bad = await booked();
    const good = await insertIntent(db.web, await insertVisit(db.migrator, fixture.t1.nyc, patient()), "BOOKED");
    await db.superuser.$client`update clinics set zone = 'Nowhere/Else' where id = ${fixture.t1.ber.id}`;
    const provider = stubProvider();
    for (let n = 1; n <= attemptsMax; n++) {
      await makeDue();
      await dispatchOnce(db.worker, dispatcher(provider));
      if (n === 1) expect(await intent(bad)).toMatchObject({ state: "RETRY_WAIT", reason_code: "RENDER_FAILED", provider: "stub" });
    }
    await db.superuser.$client`update clinics set zone = 'Europe/Berlin' where id = ${fixture.t1.ber.id}`;
    expect(await intent(bad)).toMatchObject({ state: "EXHAUSTED", reason_code: "RENDER_FAILED" });
    expect(await intent(good)).toMatchObject({ state: "SENT" });
    expect(provider.calls).toHaveLength(1);
  });
});

describe("an outage", () => {
  it("opens the circuit, burns no attempt, gives the rest of the batch back, and ends with a probe", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push(await booked());
    let ms = 0;
    let isDown = true;
    const clock = { monotonicMs: () => ms };
    const provider = stubProvider(() => (isDown ? retry("CONNECTION_FAILED", true) : sent("x")));
    const own = dispatcher(provider, { clock, circuit: createCircuit(clock, () => 1), random: () => 0 });
    const first = await dispatchOnce(db.worker, own, { parallelMax: 1 });
    expect(first).toMatchObject({ claimed: 8, retried: 3, givenBack: 5 });
    expect(await dispatchOnce(db.worker, own)).toMatchObject({ claimed: 0 }); // open: not even asked
    ms += 5_001;
    expect(await dispatchOnce(db.worker, own)).toMatchObject({ claimed: 1, retried: 1 }); // half open: one probe
    expect(provider.calls).toHaveLength(4);
    const rows = await db.superuser.$client`select attempts, state, reason_code from notification_intents`;
    expect(rows.every((row) => row.attempts === 0 && row.state === "RETRY_WAIT")).toBe(true);
    isDown = false;
    ms += 60_001;
    expect(await dispatchOnce(db.worker, own)).toMatchObject({ claimed: 1, sent: 1 });
    expect(await dispatchOnce(db.worker, own)).toMatchObject({ claimed: 7, sent: 7 });
    expect(new Set(provider.calls.slice(4).map((message) => message.intentId)).size).toBe(8);
  });

  it("that lasts longer than a day costs attempts, so it ends", async () => {
    const id = await booked();
    await db.superuser.$client`update notification_intents set created_at = created_at - interval '25 hours'`;
    const provider = stubProvider(() => retry("CONNECTION_FAILED", true));
    for (let n = 1; n <= attemptsMax; n++) {
      await makeDue();
      await dispatchOnce(db.worker, dispatcher(provider));
    }
    expect(await intent(id)).toMatchObject({ state: "EXHAUSTED", reason_code: "CONNECTION_FAILED" });
  });

  it("a refused recipient says nothing about the provider: the circuit stays closed", async () => {
    for (let i = 0; i < 5; i++) await booked();
    const own = dispatcher(stubProvider(() => reject("SMTP_550")));
    expect(await dispatchOnce(db.worker, own)).toMatchObject({ exhausted: 5 });
    expect(own.circuit.state()).toBe("CLOSED");
  });
});

describe("a claim", () => {
  it("reads what is due by its index, however many messages are settled", async () => {
    const of = await visit();
    await db.superuser.$client`
      insert into notification_intents (tenant_group_id, clinic_id, command_id, appointment_id, appointment_version, patient_id, kind, state, settled_at)
      select ${of.tenantGroupId}, ${of.clinicId}, ${of.commandId}, ${of.id}, n, ${of.patientId}, 'BOOKED', 'SENT', clock_timestamp()
      from generate_series(10, 5000) n`;
    await booked(of);
    await db.superuser.$client.unsafe("analyze notification_intents");
    const plan = await db.superuser.$client`
      explain select id from notification_intents
      where state in ('PENDING', 'RETRY_WAIT') and next_attempt_at <= (select clock_timestamp())
      order by next_attempt_at limit 50 for no key update skip locked`;
    expect(JSON.stringify(plan)).toContain("notification_intents_due");
  });
});

describe("stopping", () => {
  it("gives back what is not handed over and finishes what is", async () => {
    for (let i = 0; i < 3; i++) await booked();
    const stop = new AbortController();
    const provider = stubProvider(() => {
      stop.abort();
      return sent("x");
    });
    expect(await dispatchOnce(db.worker, dispatcher(provider), { parallelMax: 1 }, stop.signal)).toMatchObject({ sent: 1, givenBack: 2 });
    expect(await dispatchOnce(db.worker, dispatcher(stubProvider()))).toMatchObject({ sent: 2 });
  });
});

describe("the mailbox", () => {
  it("holds the text in the patient's language and the clinic's time; the web role cannot read it", async () => {
    await db.superuser.$client`update patients set language = 'ko', email = 'p2@example.invalid' where id = ${patient(1).id}`;
    const of = await insertVisit(db.migrator, fixture.t1.ber, patient(1), { startsAt: "2097-07-06T13:00:00Z" });
    const id = await booked(of);
    await dispatchOnce(db.worker, dispatcher(mailboxProvider(db.worker, "dispatch-1")));
    const [mail] = await db.superuser.$client`select * from mailbox_messages where intent_id = ${id}`;
    expect(mail?.address).toBe("p2@example.invalid");
    expect(mail?.subject).toBe("예약 안내: 2097년 7월 6일(토) 15:00 (Europe/Berlin, UTC+02:00) · Clinic BER");
    await expect(db.web.$client`select body from mailbox_messages`).rejects.toMatchObject({ code: "42501" });
  });
});
