import { rmSync } from "node:fs";
import path from "node:path";
import { bootstrapDatabase } from "@/db/bootstrap";
import { migrateDatabase } from "@/db/migrate";
import { removePostgres, startPostgres } from "@/db/testing/embedded-postgres";
import type { DemoArguments } from "@/scripts/demo/arguments";
import { chooseLog } from "@/scripts/demo/kafka-log";
import { keepWorkers } from "@/scripts/demo/keep-workers";
import { DEMO_PASSWORD, DEMO_USERS } from "@/scripts/demo/people";
import { newSteps } from "@/scripts/demo/progress";
import { seedDemo } from "@/scripts/demo/seed";
import { watchAncestors } from "@/scripts/demo/watch-ancestors";
import { buildProduct } from "@/scripts/lib/build-product";
import { portFree } from "@/scripts/lib/port-free";
import { endedUnasked, type Product, startProduct } from "@/scripts/lib/product";
import { ROOT } from "@/scripts/lib/run";
import { keptSecrets } from "@/scripts/lib/secrets";

/** The children have 8.8 s before it: all of it stays within 10 s. */
const POSTGRES_STOP_MS = 1_000;

/**
 * Starts PostgreSQL with data that stay, fills it once, builds what is not built, starts the web app and the workers, and waits for Ctrl-C.
 * Everything it started has ended when it returns, within 10 s. Each log keeps data of its own: a position names its log.
 * @returns the exit code
 */
export async function runDemo(options: DemoArguments): Promise<number> {
  const dir = path.resolve(ROOT, options.data ?? (options.log === "kafka" ? ".data/demo-kafka" : ".data/demo"));
  const steps = newSteps();
  const stops: (() => Promise<void>)[] = [];
  const asked = untilAsked();
  /** One step; being asked to stop ends the wait for it. */
  const step = <T>(what: string, work: () => Promise<T>): Promise<T> => Promise.race([steps.run(what, work), asked.rejection]);
  try {
    if (options.reset) {
      await removePostgres(path.join(dir, "postgres"), steps.note);
      for (const file of ["secrets.json", "seeded"]) rmSync(path.join(dir, file), { force: true });
      steps.note("the demo's data are thrown away");
    }
    if (!(await portFree(options.port)))
      throw new Error(
        `port ${options.port} of 127.0.0.1 is busy: end what listens there, or choose another: npm run demo -- --port ${options.port + 1}`,
      );
    const server = await steps.run("PostgreSQL", () => startPostgres({ dir: path.join(dir, "postgres"), durable: true, log: steps.note }));
    stops.push(() => server.stop(POSTGRES_STOP_MS));
    const secrets = keptSecrets(path.join(dir, "secrets.json"));
    const urls = await step("database and tables", async () => {
      const made = await bootstrapDatabase(server.superuserUrl, "appointments", secrets.passwords);
      await migrateDatabase(made.migrator).catch((error: Error) => {
        throw new Error(`${error.message}\nThe demo's data can be made anew: npm run demo -- --reset`);
      });
      return made;
    });
    const isStopped = () => asked.signal.aborted;
    await step("clinics, people and 60 days of appointments", () =>
      seedDemo({ urls, secrets, doneFile: path.join(dir, "seeded"), say: steps.note, isStopped }),
    );
    const log = await chooseLog(options.log, steps.note);
    stops.push(log.stop);
    await step("build", () => buildProduct({ log: steps.note, signal: asked.signal }));
    const env = {
      ...log.env,
      DEMO: "true",
      DEMO_FAULTS: "true",
      DEMO_PARENT_PID: String(process.pid),
      DEMO_SIGN_INS: JSON.stringify(DEMO_USERS.map(({ email, says }) => ({ email, password: DEMO_PASSWORD, says }))),
    };
    const product = await steps.run("web app and workers", () =>
      startProduct({ urls, secrets, port: options.port, env, signal: asked.signal, onLine: steps.childLine }),
    );
    stops.push(product.stop);
    announce(product, secrets.apiToken);
    const webEnded = product.web.ended.then(() => product.web);
    const broken = await Promise.race([asked.rejection, webEnded, keepWorkers(product, steps.note, asked.signal)]);
    console.error(`\n${endedUnasked(broken)}`);
    return 1;
  } catch (error) {
    if (!asked.signal.aborted) throw error;
    console.log("\nstopping; nothing is lost");
    return 0;
  } finally {
    for (const stop of stops.reverse()) await stop().catch((error: Error) => console.error(error.message));
    asked.forget();
  }
}

/** Ctrl-C, the polite signals, and the end of npm. A second signal ends at once: the children end with their parent. */
function untilAsked() {
  const controller = new AbortController();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let reject: (reason: Error) => void = () => {};
  const rejection = new Promise<never>((_, no) => {
    reject = no;
  });
  rejection.catch(() => {}); // whoever waits hears of it
  let askedAt = 0;
  const onSignal = () => {
    // one Ctrl-C may arrive twice: from the terminal, and passed on by npm or the loader
    if (controller.signal.aborted && Date.now() - askedAt > 1_000) process.exit(130);
    stop();
  };
  const stop = () => {
    askedAt ||= Date.now();
    controller.abort();
    reject(new Error("asked to stop"));
  };
  for (const signal of signals) process.on(signal, onSignal);
  const forgetAncestors = watchAncestors(stop);
  return {
    signal: controller.signal,
    rejection,
    forget: () => {
      forgetAncestors();
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

function announce({ origin, workers }: Product, apiToken: string): void {
  const width = Math.max(...DEMO_USERS.map(({ email }) => email.length));
  console.log(
    [
      "",
      `  ${origin}`,
      "",
      ...DEMO_USERS.map(({ email, says }) => `  ${email.padEnd(width)}  ${says}`),
      `  password of all: ${DEMO_PASSWORD}`,
      `  API token:       ${apiToken}`,
      `  workers:         process ${workers.pid}; killed, they are said to be silent within 15 s and run again after 30`,
      "",
      "  Ctrl-C ends everything; the data stay in .data/",
      "",
    ].join("\n"),
  );
}
