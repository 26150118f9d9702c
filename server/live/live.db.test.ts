import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { openStream } from "./open-stream";
import { type ChangeHint, ChangeWatch } from "./watch-changes";

let db: TestDatabase;
const id = (n: string) => `01900000-0000-7000-8000-${n.padStart(12, "0")}`;
const [tenant, otherTenant, berlin, kathmandu, foreign] = [id("1"), id("2"), id("c1"), id("c2"), id("c9")];

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.close());

const called = (clinic: string, group = tenant, secondsAgo = 0) => db.migrator.$client`
  insert into command_calls (id, tenant_group_id, clinic_id, caller, key, operation, outcome, status, actor_kind, actor_id, request_id, duration_ms)
  values (uuidv7(make_interval(secs => ${-secondsAgo})), ${group}, ${clinic}, 'desk:1', 'key', 'op', 'IN_PROGRESS', 409, 'person', '1', 'request', 1)`;
const announced = (clinic: string) => db.migrator.$client`
  insert into outbox (tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type, schema_version, payload)
  values (${tenant}, ${clinic}, ${id("d1")}, 'appointment.v1', 'k', 'appointment', uuidv7(), 1, 'AppointmentCreated', 1, '{}')`;

function watching(watch: ChangeWatch, clinicIds: string[], tenantGroupId = tenant) {
  const hints: (ChangeHint | "again")[] = [];
  const forget = watch.add({ tenantGroupId, clinicIds, onChange: (hint) => hints.push(hint), onAgain: () => hints.push("again") });
  const all = () => hints.splice(0).map((hint) => (hint === "again" ? hint : `${hint.area} ${hint.clinicId}`));
  const seen = () => all().filter((hint) => hint !== "again");
  return { all, seen, forget };
}

describe("watching for changes", () => {
  it("tells each watcher of its clinics only, once for each change, and nothing of what was there before", async () => {
    await called(berlin);
    const watch = new ChangeWatch(db.web);
    const [one, both, other] = [watching(watch, [berlin]), watching(watch, [berlin, kathmandu]), watching(watch, [foreign], otherTenant)];
    await watch.pollOnce();
    expect([one.seen(), both.seen(), other.seen()]).toEqual([[], [], []]);
    await called(berlin);
    await called(berlin);
    await announced(kathmandu);
    await called(foreign, otherTenant);
    await watch.pollOnce();
    expect(one.seen()).toEqual([`delivery ${berlin}`]);
    expect(both.seen().sort()).toEqual([`appointments ${kathmandu}`, `delivery ${berlin}`]);
    expect(other.seen()).toEqual([`delivery ${foreign}`]);
    await watch.pollOnce();
    expect([one.seen(), both.seen(), other.seen()]).toEqual([[], [], []]);
    for (const watcher of [one, both, other]) watcher.forget();
  });

  it("a clinic of another tenant group is not seen, whatever a watcher asks for", async () => {
    const watch = new ChangeWatch(db.web);
    const { seen, forget } = watching(watch, [foreign]);
    await watch.pollOnce();
    await called(foreign, otherTenant);
    await watch.pollOnce();
    expect(seen()).toEqual([]);
    forget();
  });

  it("a change of a transaction that committed late is told all the same", async () => {
    const watch = new ChangeWatch(db.web);
    const { seen, forget } = watching(watch, [berlin]);
    await watch.pollOnce();
    await db.migrator.$client.begin(async (slow) => {
      await slow`select uuidv7()`;
      await slow`
        insert into command_calls (id, tenant_group_id, clinic_id, caller, key, operation, outcome, status, actor_kind, actor_id, request_id, duration_ms)
        values (uuidv7(interval '-3 s'), ${tenant}, ${berlin}, 'desk:1', 'key', 'op', 'IN_PROGRESS', 409, 'person', '1', 'request', 1)`;
      await watch.pollOnce();
    });
    expect(seen()).toEqual([]);
    await watch.pollOnce();
    expect(seen()).toEqual([`delivery ${berlin}`]);
    forget();
  });

  it("says to read again once it has a baseline, and tells whatever comes after that", async () => {
    const watch = new ChangeWatch(db.web);
    const first = watching(watch, [berlin]);
    expect(first.all()).toEqual([]);
    await called(berlin); // nobody could tell this one from what was there before
    await watch.pollOnce();
    expect(first.all()).toEqual(["again"]);
    const second = watching(watch, [berlin]);
    await called(berlin);
    await watch.pollOnce();
    expect(first.all()).toEqual([`delivery ${berlin}`]);
    expect(second.all()).toEqual(["again", `delivery ${berlin}`]);
    await watch.pollOnce();
    expect([first.all(), second.all()]).toEqual([[], []]);
    for (const watcher of [first, second]) watcher.forget();
  });

  it("says to read again after failed polls that left a part of the window unread, and only then", async () => {
    let nowMs = 0;
    const watch = new ChangeWatch(db.web, () => nowMs);
    const { all, forget } = watching(watch, [berlin]);
    await watch.pollOnce();
    all();
    const failedPoll = async () => {
      await db.migrator.$client`alter table command_calls rename to command_calls_away`;
      await expect(watch.pollOnce()).rejects.toThrow();
      await db.migrator.$client`alter table command_calls_away rename to command_calls`;
    };
    nowMs += 1_000;
    await failedPoll();
    nowMs += 1_000;
    await watch.pollOnce();
    expect(all()).toEqual([]);
    await failedPoll();
    await called(berlin, tenant, 30); // older than the window when it is read again
    nowMs += 30_000;
    await watch.pollOnce();
    expect(all()).toEqual(["again"]);
    nowMs += 1_000;
    await watch.pollOnce();
    expect(all()).toEqual([]);
    forget();
  });

  it("a group that cannot be read leaves the others their hints", async () => {
    const watch = new ChangeWatch(db.web);
    const [broken, whole] = [watching(watch, ["no clinic"]), watching(watch, [foreign], otherTenant)];
    await expect(watch.pollOnce()).rejects.toThrow();
    expect([broken.all(), whole.all()]).toEqual([[], ["again"]]);
    for (const watcher of [broken, whole]) watcher.forget();
  });
});

describe("a stream", () => {
  const open = (options: { mayStay?: () => Promise<boolean>; signal?: AbortSignal; lifeMs?: number } = {}) => {
    const watch = new ChangeWatch(db.web);
    const response = openStream({
      watch,
      actor: { tenantGroupId: tenant, clinicIds: [berlin] },
      mayStay: options.mayStay ?? (async () => true),
      endsAtMs: Date.now() + (options.lifeMs ?? 3_600_000),
      signals: options.signal ? [options.signal] : [],
      recheckEveryMs: 10,
    });
    return { watch, text: response.text(), response };
  };

  it("ends when the process stops, and is forgotten", async () => {
    const stop = new AbortController();
    const { watch, text } = open({ signal: stop.signal });
    expect(watch.countOf(tenant)).toBe(1);
    stop.abort();
    expect(await text).toContain("retry:");
    expect(watch.countOf()).toBe(0);
  });

  it("ends when the person may not stay", async () => {
    let asked = 0;
    const { watch, text } = open({ mayStay: async () => ++asked < 3 });
    expect((await text).match(/still here/g)).toHaveLength(2);
    expect(watch.countOf()).toBe(0);
  });

  it("ends when the rights cannot be asked for four times in a row, and not sooner", async () => {
    let asked = 0;
    const { watch, text } = open({
      mayStay: async () => {
        asked += 1;
        if (asked !== 4) throw new Error("no database");
        return true;
      },
    });
    expect((await text).match(/still here/g)).toHaveLength(7); // three failures, an answer, three more
    expect(asked).toBe(8);
    expect(watch.countOf()).toBe(0);
  });

  it("ends with the session", async () => {
    const { watch, text } = open({ lifeMs: 50 });
    expect(await text).toContain("retry:");
    expect(watch.countOf()).toBe(0);
  });

  it("says to read again when it has a baseline, not when it opens", async () => {
    const stop = new AbortController();
    const { watch, text } = open({ signal: stop.signal });
    await watch.pollOnce();
    stop.abort();
    expect((await text).match(/retry: 2000|event: \w+/g)).toEqual(["retry: 2000", "event: again"]);
  });

  it("is not opened by a process that stops already", async () => {
    const { watch, text } = open({ signal: AbortSignal.abort() });
    expect(await text).toBe("");
    expect(watch.countOf()).toBe(0);
  });
});
