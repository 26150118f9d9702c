import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { findPostgresBinaries, type PostgresBinaries } from "@/db/testing/postgres-binaries";
import {
  endLeftoverPostmaster,
  type FolderFacts,
  inspectDataFolder,
  markInitialised,
  placeDataFolder,
  recordOwner,
  removeDataFolder,
  requireFreeSpace,
} from "@/db/testing/postgres-folder";

export type StartPostgres = {
  /** data folder; as root it may be placed elsewhere, see placeDataFolder */
  dir: string;
  /** a free one when left out */
  port?: number;
  /** true: fsync on, data stay. false: no sync at all, data are removed by stop() */
  durable: boolean;
  /** what was found, placed or repaired, a line each */
  log?: (line: string) => void;
  /** the server's own log */
  serverLog?: (line: string) => void;
  /** free bytes that a first start needs; a later start needs a third */
  freeBytes?: number;
};
export type RunningPostgres = {
  superuserUrl: string;
  port: number;
  dir: string;
  /** `timeoutMs` (8 s): then the server ends at once and repairs itself at its next start, which loses nothing */
  stop: (timeoutMs?: number) => Promise<void>;
};

const STOP_TIMEOUT_MS = 8_000;

/**
 * Starts the embedded PostgreSQL 18 on 127.0.0.1: for the demo and for tests, not for production (old libraries of its own).
 * Ends with this process, also when it is killed. The superuser is `postgres` with a password of the cluster's own.
 * @throws Error with the reason and the last lines of PostgreSQL's log
 */
export async function startPostgres(options: StartPostgres): Promise<RunningPostgres> {
  const log = options.log ?? (() => {});
  const binaries = await findPostgresBinaries(log);
  const folder = placeDataFolder(options.dir, options.durable, binaries, log);
  await endLeftoverPostmaster(folder, log);
  if (!options.durable) rmSync(folder, { recursive: true, force: true });
  let facts = inspectDataFolder(folder, binaries.version, log);
  const freeBytes = options.freeBytes ?? 600_000_000;
  requireFreeSpace(folder, facts ? freeBytes / 3 : freeBytes);
  facts ??= await initialise(folder, binaries, options.durable);
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const server = await startServer(folder, port, binaries, options.durable, options.serverLog ?? (() => {}));
    if (server === "PORT_BUSY") {
      if (options.port === undefined && attempt < 3) continue; // someone took the free port meanwhile
      throw new Error(`port ${port} of 127.0.0.1 is busy; end what listens there or choose another`);
    }
    return {
      superuserUrl: `postgres://postgres:${facts.superuserPassword}@127.0.0.1:${port}/postgres`,
      port,
      dir: folder,
      stop: async (timeoutMs = STOP_TIMEOUT_MS) => {
        await server.stop(timeoutMs);
        if (!options.durable) rmSync(folder, { recursive: true, force: true });
      },
    };
  }
}

/** Removes the data of `dir`, wherever they were placed. @throws Error when a server with a living parent uses them */
export async function removePostgres(dir: string, log: (line: string) => void = () => {}): Promise<void> {
  const binaries = await findPostgresBinaries(log);
  const folder = placeDataFolder(dir, true, binaries, () => {});
  await endLeftoverPostmaster(folder, log);
  removeDataFolder(folder);
}

/** A port of 127.0.0.1 that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

async function initialise(folder: string, binaries: PostgresBinaries, durable: boolean): Promise<FolderFacts> {
  const facts: FolderFacts = { superuserPassword: randomBytes(18).toString("hex"), version: binaries.version };
  const passwordFile = `${folder}.password`;
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  writeFileSync(passwordFile, `${facts.superuserPassword}\n`, { mode: 0o600 });
  if (binaries.uid !== undefined && binaries.gid !== undefined)
    for (const file of [folder, passwordFile]) chownSync(file, binaries.uid, binaries.gid);
  const flags = ["--username=postgres", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--lc-messages=C"];
  try {
    const child = spawnPostgres(
      binaries.initdb,
      [`--pgdata=${folder}`, `--pwfile=${passwordFile}`, ...flags, ...(durable ? [] : ["--no-sync"])],
      binaries,
    );
    const output = collect(child, () => {});
    const code = await ended(child);
    if (code !== 0) throw new Error(readable("PostgreSQL could not make its data folder", folder, output));
    markInitialised(folder, facts, binaries);
    return facts;
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

async function startServer(folder: string, port: number, binaries: PostgresBinaries, durable: boolean, log: (line: string) => void) {
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "timezone=UTC", "log_timezone=UTC"];
  if (!durable) settings.push("fsync=off", "synchronous_commit=off", "full_page_writes=off");
  const child = spawnPostgres(binaries.postgres, ["-D", folder, "-p", String(port), ...settings.flatMap((s) => ["-c", s])], binaries);
  const end = ended(child);
  let ready = () => {};
  const started = new Promise<"ready">((resolve) => {
    ready = () => resolve("ready");
  });
  const output = collect(child, (line) => {
    log(line);
    if (line.includes("database system is ready to accept connections")) ready();
  });
  if ((await Promise.race([started, end])) !== "ready") {
    if (output.some((line) => line.includes("Address already in use"))) return "PORT_BUSY" as const;
    throw new Error(readable("PostgreSQL did not start", folder, output));
  }
  recordOwner(folder);
  const guard = guardParent(folder, durable);
  const onExit = () => child.kill("SIGINT");
  process.once("exit", onExit);
  return {
    stop: async (timeoutMs: number) => {
      process.off("exit", onExit);
      child.kill("SIGINT"); // fast shutdown: sessions are ended, data are written
      const late = setTimeout(() => child.kill("SIGQUIT"), timeoutMs);
      await end;
      clearTimeout(late);
      guard?.kill();
    },
  };
}

/**
 * A child that waits for this process to be gone (its pipe closes, even after SIGKILL), then asks the server in `folder` to stop; throw-away data
 * go with it, and the folder made for them.
 */
function guardParent(folder: string, durable: boolean): ChildProcess | undefined {
  if (process.platform === "win32") return undefined;
  const stop = 'cat >/dev/null; [ -f "$1/postmaster.pid" ] && kill -INT "$(head -n 1 "$1/postmaster.pid")"';
  const remove =
    'for i in 1 2 3 4 5 6 7 8; do [ -f "$1/postmaster.pid" ] && sleep 1; done; rm -rf "$1"; rmdir "$(dirname "$1")" 2>/dev/null';
  const script = durable ? stop : `${stop}; ${remove}`;
  const guard = spawn("sh", ["-c", script, "sh", folder], { stdio: ["pipe", "ignore", "ignore"], detached: true, cwd: "/" });
  guard.unref();
  guard.once("error", () => {}); // without it a killed parent leaves the server to the next start
  (guard.stdin as unknown as { unref?: () => void }).unref?.();
  return guard;
}

/** In a session of its own, so that Ctrl-C in a terminal reaches the parent only, which stops things in order. */
function spawnPostgres(file: string, args: string[], { uid, gid }: PostgresBinaries): ChildProcess {
  const env: NodeJS.ProcessEnv = { ...process.env, LC_MESSAGES: "C" };
  for (const name of Object.keys(env)) if (/^(PG|LC_ALL|LANG)/.test(name)) delete env[name];
  return spawn(file, args, {
    uid,
    gid,
    detached: process.platform !== "win32",
    cwd: path.dirname(file), // the current folder may be closed to the user it runs as
    stdio: ["ignore", "pipe", "pipe"],
    env,
  });
}

function collect(child: ChildProcess, onLine: (line: string) => void): string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = "";
    stream?.on("data", (chunk: Buffer) => {
      const parts = (rest + chunk.toString("utf8")).split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts.filter(Boolean)) {
        lines.push(line);
        if (lines.length > 40) lines.shift();
        onLine(line);
      }
    });
  }
  child.once("error", (error) => lines.push(error.message));
  return lines;
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once("error", () => resolve(-1));
    child.once("close", (code) => resolve(code));
  });
}

function readable(what: string, folder: string, output: string[]): string {
  if (output.some((line) => /No space left on device/i.test(line))) return `${what}: the disk that holds ${folder} is full`;
  const reasons = output.filter((line) => /(FATAL|PANIC|ERROR|error|could not|cannot)/.test(line));
  return `${what} in ${folder}: ${(reasons.length > 0 ? reasons : output).slice(-5).join(" | ") || "it said nothing"}`;
}
