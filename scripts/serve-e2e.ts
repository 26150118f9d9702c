import { closeDb, openDb, withTx } from "@/db/client";
import { DEMO_PASSWORD, DEMO_USERS } from "@/scripts/demo/people";
import { seedPast } from "@/scripts/demo/seed";
import { forgetWorld, publishWorld } from "@/scripts/lib/e2e-world";
import { endedUnasked, type Product, startProduct } from "@/scripts/lib/product";
import { newSecrets } from "@/scripts/lib/secrets";
import { startThrowAwayDatabase } from "@/scripts/lib/throw-away";

/**
 * The server of the browser tests: a throw-away PostgreSQL with the demo's clinics and two past days, the built web app and the workers. Stops
 * everything at SIGTERM; ends with code 1 when a process of the product ends by itself.
 */
const origin = process.env.E2E_ORIGIN ?? "http://127.0.0.1:34871";
const world = Number(process.env.E2E_WORLD ?? 0);
const secrets = newSecrets();
const database = await startThrowAwayDatabase("appointment-e2e", secrets);
let product: Product | undefined;
let stopping: Promise<void> | undefined;
const stop = (code: number) => {
  stopping ??= (async () => {
    forgetWorld(world);
    await product?.stop();
    await database.stop();
    process.exit(code);
  })();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop(0));

try {
  const migrator = openDb(database.urls.migrator, { max: 1, applicationName: "e2e" });
  await withTx(migrator, {}, (tx) => seedPast(tx, Date.now(), secrets.apiToken, 2), { deadlineMs: 60_000, idleTimeoutMs: 30_000 });
  await closeDb(migrator);
  product = await startProduct({
    urls: database.urls,
    secrets,
    port: Number(new URL(origin).port),
    // the browser tests sign in and send more often from one address than people do
    env: {
      DEMO: "true",
      DESIGN_PAGE: "on",
      DEMO_SIGN_INS: JSON.stringify(DEMO_USERS.map(({ email, says }) => ({ email, password: DEMO_PASSWORD, says }))),
    },
    onLine: (name, line) => {
      if (/"level":"(error|fatal|warn)"/.test(line) || !line.startsWith("{")) console.error(`${name}: ${line}`);
    },
  });
  publishWorld(world, {
    origin,
    workerUrl: database.urls.worker,
    superuserUrl: database.urls.superuser,
    apiToken: secrets.apiToken,
    workersPid: product.workers.pid,
    password: DEMO_PASSWORD,
    signIns: DEMO_USERS.map(({ email, says }) => ({ email, says })),
  });
  console.log(`ready at ${origin}`);
  const broken = await product.broken;
  if (!stopping) {
    console.error(endedUnasked(broken));
    stop(1);
  }
} catch (error) {
  console.error((error as Error).message);
  stop(1);
}
