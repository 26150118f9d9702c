import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { freePort } from "@/db/testing/embedded-postgres";
import { buildProduct, WEB_SERVER, WORKERS } from "@/scripts/lib/build-product";
import { type Child, startChild } from "@/scripts/lib/child";
import { ROOT } from "@/scripts/lib/run";
import type { Secrets } from "@/scripts/lib/secrets";
import { tokenHash } from "@/server/domain/scope/find-token";
import { newRef, newUuid } from "@/server/ids";
import type { BenchDatabase } from "./database";
import { firstDay, type World } from "./world";

export type Server = { origin: string; child: Child };

/** The built web app as a deployment runs it, with a limit per token that a benchmark does not reach. */
export async function startWeb(database: BenchDatabase, secrets: Secrets, log: (line: string) => void): Promise<Server> {
  await buildProduct({ log });
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const child = startChild({
    name: "web app",
    file: WEB_SERVER,
    env: {
      PORT: String(port),
      HOSTNAME: "127.0.0.1",
      DATABASE_URL: database.urls.web,
      AUTH_SECRET: secrets.authSecret,
      AUTH_URL: origin,
      DIGEST_KEYS: secrets.digestKeys,
      LOG_LEVEL: "warn",
      RATE_LIMIT_PER_MINUTE: "10000000",
    },
  });
  return untilAnswers({ origin, child }, "/api/health/ready");
}

/** One process with all workers, on the PostgreSQL log. */
export function startWorkers(database: BenchDatabase, secrets: Secrets): Child {
  return startChild({
    name: "workers",
    file: WORKERS,
    env: { WORKER_DATABASE_URL: database.urls.worker, DIGEST_KEYS: secrets.digestKeys, LOG_LEVEL: "warn" },
  });
}

/** bench/floors/http-server.ts in a process of its own. */
export async function startFloor(database: BenchDatabase, world: World, folder: string): Promise<Server> {
  const port = await freePort();
  const file = path.join(folder, `floor-${port}.json`);
  writeFileSync(
    file,
    JSON.stringify({ tenantGroupId: world.tenantGroupId, clinics: world.clinics, patients: world.patients, actor: world.actor }),
  );
  const child = startChild({
    name: "floor",
    file: path.join(ROOT, "bench/floors/http-server.ts"),
    env: { NODE_OPTIONS: "--import tsx", PORT: String(port), DATABASE_URL: database.urls.migrator, BENCH_WORLD: file },
  });
  return untilAnswers({ origin: `http://127.0.0.1:${port}`, child }, `/?doctorId=${world.clinics[0]?.doctors[0]?.id}&from=${firstDay}`);
}

/** A token for the clinics of a world; answers its text. */
export async function addToken({ bare }: BenchDatabase, world: World): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const clientId = newUuid();
  await bare`insert into api_clients (id, tenant_group_id, ref, name) values (${clientId}, ${world.tenantGroupId}, ${newRef("AC")}, 'Bench')`;
  await bare`
    insert into api_tokens (tenant_group_id, api_client_id, token_hash, clinic_ids, commands)
    values (${world.tenantGroupId}, ${clientId}, ${tokenHash(token)}, ${world.clinics.map(({ id }) => id)}::uuid[], ${world.actor.commands}::text[])`;
  return token;
}

async function untilAnswers(server: Server, url: string): Promise<Server> {
  let ended = false;
  void server.child.ended.then(() => {
    ended = true;
  });
  for (const end = Date.now() + 60_000; Date.now() < end && !ended; ) {
    const answer = await fetch(`${server.origin}${url}`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    if (answer && answer.status < 500) return server;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  server.child.kill();
  throw new Error(`the ${server.child.name} did not answer; its last lines:\n${server.child.lastLines.join("\n")}`);
}
