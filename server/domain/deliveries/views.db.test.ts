import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withRead } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { insertTestScope, type TestScope } from "@/server/domain/inbox/testing";
import type { PersonActor } from "@/server/domain/scope/actor";
import { insertPerson } from "./testing";
import { listViews, newView, removeView, saveView, type ViewScreen } from "./views";

let db: TestDatabase;
let scope: TestScope;
let ann: PersonActor;
let bob: PersonActor;
beforeAll(async () => {
  db = await createTestDatabase();
  scope = await insertTestScope(db.superuser);
  ann = await insertPerson(db.superuser, scope, "STAFF");
  bob = await insertPerson(db.superuser, scope, "STAFF");
});
afterAll(() => db.close());

const seenBy = (actor: PersonActor, screen: ViewScreen = "DELIVERY") =>
  withRead(db.web, actor, (tx) => listViews(tx, actor, screen, actor.clinicIds));
const view = (name: string, shared: boolean, filter = { state: ["QUARANTINED"], reason: "GAP" }) => ({
  screen: "DELIVERY" as const,
  name,
  shared,
  filter,
});

describe("saved views", () => {
  it("are a person's own, or shared with the STAFF of one clinic; only the owner takes one away", async () => {
    await saveView(db.web, ann, null, view("Gaps", false));
    const { id } = await saveView(db.web, ann, scope.clinicId, view("Gaps of Harbour", true));
    expect((await seenBy(ann)).map(({ name, isMine }) => [name, isMine])).toEqual([
      ["Gaps", true],
      ["Gaps of Harbour", true],
    ]);
    expect(await seenBy(bob)).toMatchObject([
      { name: "Gaps of Harbour", isMine: false, ownerRef: ann.ref, filter: { state: ["QUARANTINED"], reason: "GAP" } },
    ]);
    expect(await removeView(db.web, bob, id)).toEqual({ removed: false });
    expect(await removeView(db.web, ann, id)).toEqual({ removed: true });
    expect(await removeView(db.web, ann, id)).toEqual({ removed: false });
    expect(await seenBy(bob)).toEqual([]);
  });

  it("saved again under a name are replaced, not doubled", async () => {
    await saveView(db.web, bob, scope.clinicId, view("Mine", false));
    await saveView(db.web, bob, scope.clinicId, view("Mine", false, { state: ["RETRYABLE"], reason: "LATER" }));
    expect(await seenBy(bob)).toMatchObject([{ name: "Mine", filter: { state: ["RETRYABLE"] } }]);
  });

  it("are shared in a clinic only, and bounded in number and size", async () => {
    expect(() => saveView(db.web, ann, null, view("For everybody", true))).toThrow("subject-invalid");
    for (let n = 0; n < 49; n++) await saveView(db.web, ann, scope.clinicId, view(`View ${n}`, false));
    await expect(saveView(db.web, ann, scope.clinicId, view("One too many", false))).rejects.toMatchObject({ code: "subject-invalid" });
    expect(newView.safeParse(view("x".repeat(41), false)).success).toBe(false);
    expect(newView.safeParse({ ...view("Long", false), filter: { q: "x".repeat(201) } }).success).toBe(false);
  });

  it("of one screen are not those of the other, under the same name", async () => {
    const cara = await insertPerson(db.superuser, scope, "STAFF");
    const { id } = await saveView(db.web, cara, scope.clinicId, view("This week", false));
    await saveView(db.web, cara, scope.clinicId, { screen: "PLANNING", name: "This week", shared: false, filter: { days: "7d" } });
    expect(await seenBy(cara, "DELIVERY")).toMatchObject([{ id, filter: { reason: "GAP" } }]);
    expect(await seenBy(cara, "PLANNING")).toMatchObject([{ name: "This week", filter: { days: "7d" } }]);
    await removeView(db.web, cara, id);
    expect(await seenBy(cara, "PLANNING")).toHaveLength(1);
    expect(newView.safeParse({ ...view("Elsewhere", false), screen: "AUDIT" }).success).toBe(false);
  });

  it("of another clinic are not seen", async () => {
    const elsewhere = await insertTestScope(db.superuser);
    const stranger = await insertPerson(db.superuser, elsewhere, "STAFF");
    await saveView(db.web, bob, scope.clinicId, view("Gaps of Harbour", true));
    expect(await seenBy(stranger)).toEqual([]);
  });
});
