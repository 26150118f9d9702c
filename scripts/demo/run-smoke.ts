import { randomUUID } from "node:crypto";
import { closeDb, type Db, openDb, withTx } from "@/db/client";
import { freePort } from "@/db/testing/embedded-postgres";
import type { DemoArguments } from "@/scripts/demo/arguments";
import { chooseLog } from "@/scripts/demo/kafka-log";
import { newSteps } from "@/scripts/demo/progress";
import { seedFacts } from "@/scripts/demo/seed-facts";
import { type Client, newClient } from "@/scripts/demo/smoke-client";
import { type Counted, countRecords, verdict, whatIsMissing } from "@/scripts/demo/smoke-records";
import { buildProduct } from "@/scripts/lib/build-product";
import { startProduct } from "@/scripts/lib/product";
import { newSecrets } from "@/scripts/lib/secrets";
import { startThrowAwayDatabase } from "@/scripts/lib/throw-away";

const WAIT_MS = 60_000;

/**
 * The demo without a person: throw-away data, a free port, real HTTP, the built processes. Books, loses the answer, repeats, sends the key with
 * another body, waits for both consumers and the message, counts from the records what came of it, and ends what it started. The last line is
 * "N passed, N failed".
 * @returns 0, or 1 after saying what is missing
 */
export async function runSmoke(options: DemoArguments): Promise<number> {
  const steps = newSteps();
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop().catch((error: Error) => console.error(error.message));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => void stopAll().finally(() => process.exit(130)));
  try {
    await steps.run("build", () => buildProduct({ log: steps.note }));
    const secrets = newSecrets();
    const database = await steps.run("PostgreSQL with throw-away data", () => startThrowAwayDatabase("appointment-smoke", secrets));
    stops.push(database.stop);
    await steps.run("clinics and people", () => fill(database.urls.migrator, secrets.apiToken));
    const log = await chooseLog(options.log, steps.note);
    stops.push(log.stop);
    const port = await freePort();
    const product = await steps.run("web app and workers", () =>
      startProduct({ urls: database.urls, secrets, port, env: log.env, onLine: (name, line) => steps.childLine(name, line) }),
    );
    stops.push(product.stop);

    const commandId = await tell(newClient(product.origin, secrets.apiToken), steps);
    const records = openDb(database.urls.worker, { max: 2, applicationName: "smoke" });
    stops.push(() => closeDb(records));
    const counted = await steps.run("relay, both consumers, notification", () => untilSettled(records, commandId));
    report(counted);
    await stopAll();
    const killed = [product.web, product.workers].filter((child) => child.wasKilled()).map(({ name }) => name);
    const { lines, exitCode } = verdict(counted, killed);
    console.log(lines.join("\n"));
    return exitCode;
  } finally {
    await stopAll();
  }
}

async function fill(migratorUrl: string, apiToken: string): Promise<void> {
  const migrator = openDb(migratorUrl, { max: 1, applicationName: "smoke" });
  await withTx(migrator, {}, (tx) => seedFacts(tx, Date.now(), apiToken), { deadlineMs: 60_000, idleTimeoutMs: 30_000 }).finally(() =>
    closeDb(migrator),
  );
}

/** The story itself. Throws with what was answered instead of what was promised. */
async function tell(client: Client, steps: ReturnType<typeof newSteps>): Promise<string> {
  const { path, body, otherBody } = await findSlot(client);
  const key = randomUUID();
  const commands = path.replace(/appointments$/, `commands/${key}`);
  await steps.run("book, and lose the answer", () =>
    client.postAndLoseAnswer(path, key, body, async () => (await client.get(commands)).status === 200),
  );
  const commandId = await steps.run("repeat the call under the same key", async () => {
    const again = await client.post(path, key, body);
    expectAnswer(again.status === 201 && again.headers["idempotent-replayed"] === "true", "201 with Idempotent-Replayed: true", again);
    return (again.body as { commandId: string }).commandId;
  });
  await steps.run("send the key with another body", async () => {
    const reused = await client.post(path, key, otherBody);
    expectAnswer(reused.status === 409, "409 idempotency-key-reused", reused);
  });
  return commandId;
}

/** A free time of the first clinic within a week, as the API lists it. */
export async function findSlot(client: Client) {
  const { clinics } = (await client.get("/api/v1/clinics")).body as { clinics: { id: string }[] };
  for (const { id } of clinics) {
    const base = `/api/v1/clinics/${id}`;
    const { treatments } = (await client.get(base)).body as { treatments: { id: string }[] };
    const treatmentId = treatments[0]?.id;
    const from = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const listed = await client.get(`${base}/slots?treatmentId=${treatmentId}&from=${from}&days=7`);
    const { slots } = listed.body as { slots?: { startsAt: string }[] };
    const [first, second] = slots ?? [];
    if (!first || !second || !treatmentId) continue;
    const body = { patient: { externalReference: "smoke-1" }, treatmentId, startsAt: first.startsAt };
    return { path: `${base}/appointments`, body, otherBody: { ...body, startsAt: second.startsAt } };
  }
  throw new Error("no clinic of the demo lists a free time within a week");
}

function expectAnswer(holds: boolean, wanted: string, { status, body }: { status: number; body: unknown }): void {
  if (!holds) throw new Error(`expected ${wanted}, and got ${status} ${JSON.stringify(body)}`);
}

async function untilSettled(db: Db, commandId: string): Promise<Counted> {
  for (const end = Date.now() + WAIT_MS; ; ) {
    const counted = await countRecords(db, commandId);
    if (whatIsMissing(counted).length === 0 || Date.now() > end) return counted;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function report(counted: Counted): void {
  const said: Record<string, string> = { FIRST: "first", REPLAYED: "repeated", REUSED: "refused, other body" };
  const total = counted.calls.reduce((sum, { count }) => sum + count, 0);
  console.log(
    [
      "",
      `  the command arrived   ${total} times: ${counted.calls.map(({ outcome, count }) => `${count} ${said[outcome] ?? outcome}`).join(", ")}`,
      `  it changed            ${counted.visits} visit, ${counted.changes} time, ${counted.events.published} event in the log`,
      ...counted.consumers.map(
        (row) => `  ${row.consumer.padEnd(21)} ${row.state}, ${row.processed} effect, ${row.duplicate} duplicate deliveries`,
      ),
      `  it sent               ${counted.sent} message (${counted.intents.map(({ state }) => state).join(", ") || "no intent"})`,
    ].join("\n"),
  );
}
