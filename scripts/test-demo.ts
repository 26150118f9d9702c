import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { removePostgres } from "@/db/testing/embedded-postgres";
import { type DrivenDemo, driveDemo } from "@/scripts/demo/driven-demo";
import { endFaults } from "@/scripts/demo/end-faults";
import { openLiveStream } from "@/scripts/demo/open-live-stream";
import { findSlot } from "@/scripts/demo/run-smoke";
import { newClient } from "@/scripts/demo/smoke-client";
import { buildProduct } from "@/scripts/lib/build-product";
import { lastLine } from "@/scripts/lib/counts";
import { ROOT } from "@/scripts/lib/run";

/**
 * npm run test:demo: the demo as a person runs it, with data of its own: Ctrl-C in the middle of its first start, a next start that goes on,
 * Ctrl-C, SIGTERM and kill -9 of npm that leave no process behind, a visit that is still there, and --reset. One line for each. An end that takes more
 * than 10 s fails, and so does one in which a process had to be killed.
 */
const counts = { passed: 0, failed: 0, skipped: 0 };
mkdirSync(path.join(ROOT, ".data"), { recursive: true });
const data = mkdtempSync(path.join(ROOT, ".data/demo-test-"));
process.once("exit", () => rmSync(data, { recursive: true, force: true }));
let demo: DrivenDemo | undefined;
let visit = { path: "", id: "" };

await buildProduct({ log: console.log });
await check("Ctrl-C while it fills its database ends everything", async () => {
  demo = await driveDemo(data);
  await demo.says(/… clinics, people/);
  return stopped(demo, demo.pressCtrlC);
});
await check("the next start goes on, and Ctrl-C ends everything, an open screen with its stream too", async () => {
  demo = await driveDemo(data);
  const { origin, apiToken } = await demo.ready();
  const client = newClient(origin, apiToken);
  const slot = await findSlot(client);
  const booked = await client.post(slot.path, randomUUID(), slot.body);
  if (booked.status !== 201) throw new Error(`a booking was answered with ${booked.status} ${JSON.stringify(booked.body)}`);
  visit = { path: slot.path, id: (booked.body as { id: string }).id };
  const stream = await openLiveStream(origin);
  const ms = await stopped(demo, demo.pressCtrlC);
  await stream.ended;
  return ms;
});
await check("what was booked is there after the next start, and SIGTERM to npm ends everything", async () => {
  demo = await driveDemo(data);
  await expectVisit(await demo.ready());
  if (/imported|booked through/.test(demo.output())) throw new Error("it filled its database again");
  return stopped(demo, () => demo?.signalNpm("SIGTERM"));
});
await check("kill -9 of the workers ends nothing else: bookings go on, and they start again", async () => {
  demo = await driveDemo(data);
  const { origin, apiToken } = await demo.ready();
  const [, pid] = await demo.says(/workers: +process (\d+)/);
  await new Promise((resolve) => setTimeout(resolve, 11_000)); // workers that end at once are not started again
  process.kill(Number(pid), "SIGKILL");
  await demo.says(/the workers ended/);
  const client = newClient(origin, apiToken);
  const slot = await findSlot(client);
  const booked = await client.post(slot.path, randomUUID(), slot.body);
  if (booked.status !== 201) throw new Error(`without workers a booking was answered with ${booked.status}`);
  await demo.says(/the workers start again/);
  return stopped(demo, demo.pressCtrlC);
});
await check("kill -9 of npm ends everything", async () => {
  demo = await driveDemo(data);
  await expectVisit(await demo.ready());
  return stopped(demo, () => demo?.signalNpm("SIGKILL"));
});
await check("--reset begins with new data", async () => {
  demo = await driveDemo(data, ["--reset"]);
  await demo.says(/the demo's data are thrown away/);
  await demo.says(/past visits imported/); // only an empty database is filled
  return stopped(demo, demo.pressCtrlC);
});

await removePostgres(path.join(data, "postgres"));
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
console.log(lastLine(counts));
process.exit();

async function check(name: string, work: () => Promise<number>): Promise<void> {
  const startedMs = performance.now();
  try {
    const stopMs = await work();
    counts.passed += 1;
    console.log(
      `ok   ${name} (stopped after ${(stopMs / 1000).toFixed(1)} s; ${((performance.now() - startedMs) / 1000).toFixed(0)} s in all)`,
    );
  } catch (error) {
    counts.failed += 1;
    console.log(`FAIL ${name}: ${(error as Error).message}`);
    demo?.look();
    demo?.signalNpm("SIGKILL");
    await demo?.gone().catch(() => {});
  }
}

/** Ends the demo by `how`. @returns milliseconds until none of its processes was left. @throws Error when it was too slow, or one had to be killed */
async function stopped(running: DrivenDemo, how: () => void): Promise<number> {
  running.look();
  how();
  const ms = await running.gone();
  await running.says(/stopping; nothing is lost/);
  const faults = endFaults(running.output(), ms);
  if (faults.length > 0) throw new Error(faults.join("; "));
  return ms;
}

async function expectVisit(at: { origin: string; apiToken: string }): Promise<void> {
  const answer = await newClient(at.origin, at.apiToken).get(`${visit.path}/${visit.id}`);
  if (answer.status !== 200) throw new Error(`the visit was answered with ${answer.status}`);
}
