import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { insertTestScope, type TestScope } from "@/server/domain/inbox/testing";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { DrillEnded } from "./drill-progress";
import { recordByPeople } from "./record-by-people";
import { runDrillOnce } from "./run-drill-once";
import { startDrill } from "./start-drill";
import { stopDrill } from "./stop-drill";
import { callBy, commandDeps, drillDeps, drillPerson } from "./testing";

let db: TestDatabase;
let clinic: TestScope;
beforeAll(async () => {
  db = await createTestDatabase();
  clinic = await insertTestScope(db.superuser);
});
beforeEach(() => db.superuser.$client`delete from drill_runs`);
afterAll(() => db.close());

const run = async () => (await db.superuser.$client`select * from drill_runs`)[0] as Record<string, never>;
const whyOf = (answer: { body: string }) => (JSON.parse(answer.body) as { why?: string }).why;

describe("a run of a drill", () => {
  it("is asked for once under a key, and while it is under way no other is", async () => {
    const staff = await drillPerson(db, clinic);
    const call = callBy(staff);
    const first = await startDrill(commandDeps(db), call, "poison-event");
    const again = await startDrill(commandDeps(db), call, "poison-event");
    expect([first.status, again.replayed, again.body]).toEqual([201, true, first.body]);
    const other = await startDrill(commandDeps(db), callBy(staff), "schema-mismatch");
    expect([other.status, whyOf(other)]).toEqual([409, "ANOTHER_RUNS"]);
  });

  it("is asked for at the same moment by two of STAFF: one run", async () => {
    const people = await Promise.all([drillPerson(db, clinic), drillPerson(db, clinic)]);
    const answers = await Promise.all(people.map((person) => startDrill(commandDeps(db), callBy(person), "poison-event")));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it("whose audit entry cannot be written is not started", async () => {
    const staff = await drillPerson(db, clinic);
    const sql = db.superuser.$client;
    const runs = async () => (await sql`select count(*)::int as n from drill_runs`)[0]?.n;
    const before = await runs();
    await sql.unsafe(
      "create or replace function no_audit() returns trigger language plpgsql as $$ begin raise exception 'audit is full'; end $$; create trigger no_audit before insert on audit_entries for each row execute function no_audit()",
    );
    try {
      await expect(startDrill(commandDeps(db), callBy(staff), "double-click")).rejects.toThrow();
      expect(await runs()).toBe(before);
    } finally {
      await sql`drop trigger no_audit on audit_entries`;
    }
    expect((await startDrill(commandDeps(db), callBy(staff), "double-click")).status).toBeLessThan(300);
  });

  it("of what stops real processes is not started from a page, and none without the right STAFF", async () => {
    const staff = await drillPerson(db, clinic);
    expect(whyOf(await startDrill(commandDeps(db), callBy(staff), "db-restart"))).toBe("COMMAND_LINE_ONLY");
    const desk = await drillPerson(db, clinic, ["FRONT_DESK"]);
    expect(whyOf(await startDrill(commandDeps(db), callBy(desk), "lease-lost"))).toBe("RIGHT_MISSING");
    expect(await run()).toBeUndefined();
  });

  it("is stopped by STAFF: it ends as CANCELLED at its next step, and keeps the steps so far", async () => {
    const staff = await drillPerson(db, clinic);
    const { body } = await startDrill(commandDeps(db), callBy(staff), "lease-lost");
    const { id } = JSON.parse(body) as { id: string };
    setTestPoint("drill.afterClaim", async () => {
      clearTestPoints();
      await stopDrill(commandDeps(db), callBy(staff), id);
    });
    expect(await runDrillOnce(drillDeps(db))).toEqual({ claimed: 1, ended: "CANCELLED" });
    expect(await run()).toMatchObject({
      state: "CANCELLED",
      reason_code: "STOPPED_BY_STAFF",
      wanted_by_ref: staff.ref,
      steps: [{ code: "publish" }],
    });
    expect(whyOf(await stopDrill(commandDeps(db), callBy(staff), id))).toBe("NOT_RUNNING");
  });

  it("whose runner dies is begun again by another one, in a new scope; the dead one changes nothing any more", async () => {
    const staff = await drillPerson(db, clinic);
    await startDrill(commandDeps(db), callBy(staff), "poison-event");
    let second: unknown;
    setTestPoint("drill.afterClaim", async () => {
      clearTestPoints();
      await db.superuser.$client`update drill_runs set lease_until = lease_until - interval '1 hour'`;
      second = await runDrillOnce(drillDeps(db, { worker: "drill-runner-b" }));
    });
    expect(await runDrillOnce(drillDeps(db))).toEqual({ claimed: 1, ended: null });
    expect(second).toEqual({ claimed: 1, ended: "PASSED" });
    expect(await run()).toMatchObject({ state: "PASSED", fence: "2" });
  });

  it("that three runners died of counts as failed", async () => {
    const staff = await drillPerson(db, clinic);
    await startDrill(commandDeps(db), callBy(staff), "poison-event");
    const die = () => {
      throw new DrillEnded("PROCESS_ENDS");
    };
    for (let take = 1; take <= 3; take++) {
      setTestPoint("drill.afterClaim", die);
      await expect(runDrillOnce(drillDeps(db))).rejects.toThrow();
      await db.superuser.$client`update drill_runs set lease_until = lease_until - interval '1 hour'`;
    }
    clearTestPoints();
    expect(await runDrillOnce(drillDeps(db))).toMatchObject({ claimed: 1 });
    expect(await run()).toMatchObject({ state: "FAILED", reason_code: "RUNNER_LOST" });
  });

  it("by people is written down as such, with how many and what they found", async () => {
    const staff = await drillPerson(db, clinic);
    const held = { people: 2, minutes: 26, result: "PASSED", note: "Found the runbook within a minute" } as const;
    expect(await recordByPeople(commandDeps(db), callBy(staff), "broker-down", held)).toMatchObject({ status: 201 });
    expect(await run()).toMatchObject({
      carried_out: "BY_PEOPLE",
      people: 2,
      state: "PASSED",
      duration_ms: 26 * 60_000,
      drill: "broker-down",
    });
  });
});
