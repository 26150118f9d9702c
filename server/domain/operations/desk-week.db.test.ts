import { afterAll, beforeAll, expect, it } from "vitest";
import { type Tx, withRead, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { insertClosure } from "@/server/domain/clinics/set-up";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { deskWeek } from "./desk-week";

let db: TestDatabase;
let world: ClinicFixture;

beforeAll(async () => {
  db = await createTestDatabase();
  world = await createClinicFixture(db.migrator);
});
afterAll(() => db.close());

const desk = (): PersonActor => ({
  kind: "person",
  ...world.t1.ber.scope,
  userId: newUuid(),
  ref: "ST-000001",
  roles: [{ role: "FRONT_DESK", clinicId: null }],
});

/** The week of a date, and the statements that it took. */
function weekOf(date: string) {
  return withRead(db.web, desk(), async (tx) => {
    let statements = 0;
    const sql = Object.assign((...args: Parameters<Tx["sql"]>) => {
      statements += 1;
      return tx.sql(...args);
    }, tx.sql);
    const week = await deskWeek(Object.assign(Object.create(tx), { sql }) as Tx, desk(), { clinicId: world.t1.ber.id, date });
    if (!week) throw new Error("not in scope");
    return { week, statements };
  });
}

it("H-F3 weeks that a closure of many days leaves partly open are read as the others are: the same statements, open days open", async () => {
  const usual = await weekOf("2027-03-15");
  await withTx(db.migrator, {}, (tx) =>
    insertClosure(tx, world.t1.ber, { from: "2027-04-01T00:30", until: "2027-04-12T23:30", reason: "Works" }),
  );
  const [begins, within, ends] = [await weekOf("2027-03-29"), await weekOf("2027-04-07"), await weekOf("2027-04-12")];
  expect(usual.statements).toBeGreaterThan(0);
  expect([begins, within, ends].map(({ statements }) => statements)).toEqual([usual.statements, usual.statements, usual.statements]);
  const closedOn = ({ week }: typeof usual) =>
    week.days.filter(({ blocks }) => blocks.some(({ kind }) => kind === "CLOSED")).map(({ date }) => date.slice(5));
  expect(closedOn(begins)).toEqual(["04-01", "04-02", "04-03", "04-04"]);
  expect(closedOn(within)).toHaveLength(7);
  expect(closedOn(ends)).toEqual(["04-12"]);
  expect(ends.week.days[1]?.open).toHaveLength(2);
});
