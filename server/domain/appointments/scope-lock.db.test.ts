// Whoever changes a clinic's facts and whoever changes a visit meet at the planning scope. The test plays the writer of facts on a second connection.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { sqlstate } from "@/db/tx-error";
import { parseDigestKeys } from "@/server/canonical-hash";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import type { CommandAnswer } from "@/server/domain/idempotency/types";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { cancelAppointment } from "./cancel-appointment";
import { changeStatus } from "./change-status";
import { createAppointment } from "./create-appointment";
import { rescheduleAppointment } from "./reschedule-appointment";

let db: TestDatabase;
let world: ClinicFixture;
const digestKeys = parseDigestKeys(`k1:${Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64")}`);
const deps = () => ({ db: db.web, digestKeys, retentionHours: 24, waitMs: 2_000 });
const tomorrow = Date.now() + 86_400_000;
const workday = [0, 1, 2].map((n) => new Date(tomorrow + n * 86_400_000)).find((day) => ![0, 6].includes(day.getUTCDay())) as Date;
const at = (clock: string) => `${workday.toISOString().slice(0, 10)}T${clock}:00Z`; // 09:00 to 11:00 and 12:00 to 15:00 UTC are open in Berlin all year

beforeAll(async () => {
  db = await createTestDatabase();
  world = await createClinicFixture(db.migrator);
});
afterEach(clearTestPoints);
afterAll(() => db.close());

const call = () => {
  const { ber, tenantGroupId } = world.t1;
  const roles: PersonActor["roles"] = [{ role: "FRONT_DESK", clinicId: ber.id }];
  const actor: PersonActor = { kind: "person", tenantGroupId, clinicIds: [ber.id], userId: newUuid(), ref: "ST-000001", roles };
  return { actor, clinicId: ber.id, key: `key-${newUuid()}`, requestId: newUuid(), method: "POST", body: {} };
};
const book = (startsAt: string, n = 0): Promise<CommandAnswer> =>
  createAppointment(deps(), call(), {
    patient: { id: world.t1.patients[n]?.id as string },
    treatmentId: world.t1.ber.treatments.VISIT15,
    doctorId: world.t1.ber.doctors[n]?.id as string, // visits of one doctor meet at that doctor's row
    startsAt,
  });
const changeOf = (booked: CommandAnswer) => ({ ...call(), appointmentId: JSON.parse(booked.body).id as string, expectedVersion: "1" });

const commands: [string, (clock: string) => Promise<() => Promise<CommandAnswer>>][] = [
  ["a booking", async (clock) => () => book(at(`09:${clock}`))],
  [
    "a move",
    async (clock) => {
      const visit = changeOf(await book(at(`12:${clock}`)));
      return () => rescheduleAppointment(deps(), visit, { startsAt: at(`13:${clock}`) });
    },
  ],
  [
    "a change of status",
    async (clock) => {
      const visit = changeOf(await book(at(`10:${clock}`)));
      return () => changeStatus(deps(), visit, { to: "PENDING_RESCHEDULE", reasonCode: "OTHER" });
    },
  ],
  [
    "a cancellation",
    async (clock) => {
      const visit = changeOf(await book(at(`14:${clock}`)));
      return () => cancelAppointment(deps(), visit, { reasonCode: "OTHER" });
    },
  ],
];

/** SQLSTATE of the second connection's try to change the clinic's facts now: 55P03 when it would have to wait. */
const writeFacts = () =>
  db.migrator.$client`select from planning_scopes where clinic_id = ${world.t1.ber.id} for no key update nowait`.then(
    () => "free",
    (error) => sqlstate(error),
  );

describe("the planning scope", () => {
  it.each(commands)("%s under way lets no writer of facts past", async (_name, prepare) => {
    const command = await prepare("00");
    const seen: unknown[] = [];
    setTestPoint("command.worked", async () => {
      seen.push(await writeFacts());
    });
    expect((await command()).status).toBeLessThan(300);
    expect(seen).toEqual(["55P03"]);
    expect(await writeFacts()).toBe("free");
  });

  it("two bookings of one clinic do not wait for each other there", async () => {
    let reached!: () => void;
    let release!: () => void;
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    setTestPoint("command.worked", () => {
      clearTestPoints();
      reached();
      return released;
    });
    const first = book(at("09:30"), 0);
    await isReached; // it holds its lock
    expect((await book(at("09:45"), 1)).status).toBe(201);
    release();
    expect((await first).status).toBe(201);
  });
});
