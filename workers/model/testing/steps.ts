import fc from "fast-check";
import { expect } from "vitest";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import type { Answered, Model, Sent, Visit } from "./model";
import type { World } from "./world";

type Step = fc.AsyncCommand<Model, World>;
const step = (name: string, run: (model: Model, world: World) => Promise<unknown>): Step => ({
  check: () => true,
  run: async (model, world) => void (await run(model, world)),
  toString: () => name,
});

/** Sends a command that was never sent, and compares its answer with what the model expects. */
async function send(model: Model, world: World, sent: Sent): Promise<void> {
  const { answer: expected, apply } = model.decide(sent);
  const key = `model-key-${newUuid()}`;
  const answer = await world.send(sent, key);
  const body = JSON.parse(answer.body) as { id: string; code?: string; version?: string };
  expect({ status: answer.status, code: body.code, replayed: answer.replayed }).toEqual({
    code: undefined,
    ...expected,
    replayed: false,
  } satisfies Answered & {
    replayed: boolean;
  });
  apply(body.id);
  if (answer.status < 300) expect(body.version).toBe(String(sent.kind === "book" ? 1 : sent.visit.version));
  model.commands.push({ sent, key, answer: answer.body });
}

const some = <T>(of: readonly T[], n: number): T | undefined => of[n % Math.max(1, of.length)];
const withVisit =
  (n: number, run: (model: Model, world: World, visit: Visit) => Promise<unknown>) => async (model: Model, world: World) => {
    const visit = some(model.visits, n);
    if (visit) await run(model, world, visit);
  };

/** A worker that dies at a point: what it holds stays held until its lease runs out. */
async function dyingAt(point: string, work: () => Promise<unknown>): Promise<void> {
  setTestPoint(point, () => {
    throw new Error("killed");
  });
  await work().catch((error) => {
    if ((error as Error).message !== "killed") throw error;
  });
  clearTestPoints();
}

const slot = fc.nat(3);
const doctor = fc.nat(1);
const patient = fc.nat(3);
const which = fc.nat(7);
/** Mostly the version that is, sometimes the one before. */
const behind = fc.constantFrom(0, 0, 0, 1);

/** Everything that can happen, in any order. */
export const steps: fc.Arbitrary<Step>[] = [
  fc
    .tuple(slot, doctor, patient)
    .map(([s, d, p]) => step(`book ${s} ${d} ${p}`, (m, w) => send(m, w, { kind: "book", wish: { slot: s, doctor: d, patient: p } }))),
  fc.tuple(which, slot, doctor, behind).map(([n, s, d, b]) =>
    step(
      `move ${n} to ${s} ${d}${b ? " stale" : ""}`,
      withVisit(n, (m, w, visit) => send(m, w, { kind: "move", visit, version: versionOf(visit, b), slot: s, doctor: d })),
    ),
  ),
  fc.tuple(which, behind).map(([n, b]) =>
    step(
      `cancel ${n}`,
      withVisit(n, (m, w, visit) => send(m, w, { kind: "cancel", visit, version: versionOf(visit, b) })),
    ),
  ),
  fc.tuple(which, behind).map(([n, b]) =>
    step(
      `release ${n}`,
      withVisit(n, (m, w, visit) => send(m, w, { kind: "release", visit, version: versionOf(visit, b) })),
    ),
  ),
  fc.nat(9).map((n) =>
    step(`send again ${n}`, async (model, world) => {
      const known = some(model.commands, n);
      if (!known) return;
      const again = await world.send(known.sent, known.key);
      expect([again.body, again.replayed]).toEqual([known.answer, true]);
    }),
  ),
  fc.tuple(fc.nat(9), slot).map(([n, s]) =>
    step(`key of ${n} for another booking`, async (model, world) => {
      const known = some(model.commands, n);
      const other: Sent = { kind: "book", wish: { slot: s, doctor: 0, patient: 11 } }; // nobody else books for this patient
      if (known) await expect(world.send(other, known.key)).rejects.toMatchObject({ code: "idempotency-key-reused" });
    }),
  ),
  fc.constantFrom(
    step("relay", (_, world) => world.relay()),
    step("two relays", (_, world) => Promise.all([world.relay("relay-1"), world.relay("relay-2")])),
    step("relay dies with claims", (_, world) => dyingAt("relay.afterClaim", world.relay)),
    step("relay dies before its mark", (_, world) => dyingAt("relay.afterPublish", world.relay)),
    step("consume", (_, world) => world.consume()),
    step("consume, offsets lost", (_, world) => world.consume(true)),
    step("consumer dies with claims", (_, world) => dyingAt("inbox.afterClaim", () => world.consume(true))),
    step("consumer dies before its commit", (_, world) => dyingAt("inbox.beforeCommit", () => world.consume(true))),
    step("retry", (_, world) => world.retry()),
    step("dispatch", (_, world) => world.dispatch()),
    step("dispatcher dies with claims", (_, world) => dyingAt("dispatch.afterClaim", world.dispatch)),
    step("dispatcher dies after its call", (_, world) => dyingAt("dispatch.afterCall", world.dispatch)),
    step("time passes", (_, world) => world.timePasses()),
  ),
  fc.nat(20).map((n) => step(`deliver again ${n}`, (_, world) => world.redeliver(n))),
];

const versionOf = (visit: Visit, stepsBehind: number): number => visit.version - Math.min(stepsBehind, visit.version - 1);
