import { createHash } from "node:crypto";
import {
  chownSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { makeOpenFolder, openTempFolder, openToOthers, type PostgresBinaries } from "@/db/testing/postgres-binaries";

/** Written into the data folder when initdb is complete: a folder without it never held anyone's data. */
const MARKER = "appointment-operations.json";
const OWNER = "appointment-operations.owner";

export type FolderFacts = { superuserPassword: string; version: string };

/**
 * Where the data really go: `dir`, or, when this process is root and a folder above `dir` is closed to others, a folder of the system
 * (/var/lib for durable data, else the temp folder) whose name is a digest of `dir`.
 */
export function placeDataFolder(dir: string, durable: boolean, binaries: PostgresBinaries, log: (line: string) => void): string {
  const wanted = path.resolve(dir);
  if (binaries.uid === undefined) {
    mkdirSync(path.dirname(wanted), { recursive: true });
    return wanted;
  }
  makeOpenFolder(path.dirname(wanted));
  if (openToOthers(path.join(path.dirname(wanted), "x"))) return wanted;
  const base = durable && existsSync("/var/lib") && openToOthers("/var/lib/x") ? "/var/lib" : openTempFolder();
  const folder = path.join(base, "appointment-operations", createHash("sha256").update(wanted).digest("hex").slice(0, 12));
  makeOpenFolder(path.dirname(folder));
  if (statSync(path.dirname(folder)).uid !== 0) throw new Error(`${path.dirname(folder)} belongs to someone else; remove it`);
  log(`${path.dirname(wanted)} is closed to user postgres: the data are in ${folder}`);
  return folder;
}

/**
 * Looks at a data folder before PostgreSQL does. Repairs what an interrupted first start left, and refuses what it cannot know.
 * @returns the facts written at its first start, or undefined when initdb has to run
 */
export function inspectDataFolder(folder: string, version: string, log: (line: string) => void): FolderFacts | undefined {
  if (!existsSync(folder)) return undefined;
  const entries = readdirSync(folder);
  if (entries.length === 0) return undefined;
  const major = (text: string) => text.trim().split(".")[0];
  if (!entries.includes(MARKER)) {
    // postmaster.opts is written by the first start of a server, and ours starts only after the marker
    if (entries.includes("postmaster.opts"))
      throw new Error(`${folder} holds a PostgreSQL cluster that this program did not make; it is left alone`);
    if (!looksHalfMade(entries)) throw new Error(`${folder} holds other files (${entries.slice(0, 3).join(", ")}); it is left alone`);
    log(`${folder} was left half-initialised by an interrupted first start: it is made anew`);
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  const facts = JSON.parse(readFileSync(path.join(folder, MARKER), "utf8")) as FolderFacts;
  if (!entries.includes("PG_VERSION") || !existsSync(path.join(folder, "global", "pg_control")))
    throw new Error(`${folder} is damaged (PG_VERSION or global/pg_control is gone); restore it, or start anew with --reset`);
  const has = major(readFileSync(path.join(folder, "PG_VERSION"), "utf8"));
  if (has !== major(version))
    throw new Error(`${folder} was made by PostgreSQL ${has}, this is ${major(version)}; start anew with --reset`);
  return facts;
}

/** Removes a data folder that this program made, whole, half-made or damaged. @throws Error when it holds anything else */
export function removeDataFolder(folder: string): void {
  if (!existsSync(folder)) return;
  const entries = readdirSync(folder);
  if (entries.length > 0 && !entries.includes(MARKER) && (entries.includes("postmaster.opts") || !looksHalfMade(entries)))
    throw new Error(`${folder} was not made by this program; it is left alone`);
  rmSync(folder, { recursive: true, force: true });
}

const looksHalfMade = (entries: string[]) => ["pg_wal", "base", "PG_VERSION"].some((name) => entries.includes(name));

export function markInitialised(folder: string, facts: FolderFacts, binaries: PostgresBinaries): void {
  const file = path.join(folder, MARKER);
  const fd = openSync(file, "w", 0o600);
  writeSync(fd, `${JSON.stringify(facts)}\n`);
  fsyncSync(fd);
  if (binaries.uid !== undefined && binaries.gid !== undefined) chownSync(file, binaries.uid, binaries.gid);
}

/** @throws Error when the disk that holds `folder` has less free than a start needs (bytes) */
export function requireFreeSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(path.dirname(folder));
  const free = bavail * bsize;
  const mb = (n: number) => `${Math.floor(n / 1_000_000)} MB`;
  if (free < bytes) throw new Error(`too little disk: ${path.dirname(folder)} has ${mb(free)} free, PostgreSQL needs ${mb(bytes)}`);
}

/**
 * Ends the postmaster that a killed parent left behind, and no other: its pid is in the folder's own lock file, its command line names the
 * folder, and the parent that started it is gone. Waits for the lock file, not the pid, which may stay a zombie for a while.
 * @throws Error when the parent lives: the folder is in use
 */
export async function endLeftoverPostmaster(folder: string, log: (line: string) => void): Promise<void> {
  const lock = path.join(folder, "postmaster.pid");
  if (!existsSync(lock)) return;
  const pid = Number(readFileSync(lock, "utf8").split("\n")[0]);
  const command = `/proc/${pid}/cmdline`;
  if (existsSync("/proc/self/cmdline") && (!existsSync(command) || !readFileSync(command, "utf8").includes(folder))) return; // PostgreSQL removes it
  const owner = existsSync(path.join(folder, OWNER)) ? readFileSync(path.join(folder, OWNER), "utf8").trim() : "";
  const ownerPid = Number(owner.split(" ")[0]);
  if (owner && ownerPid !== process.pid && processIdentity(ownerPid) === owner)
    throw new Error(`${folder} is in use by process ${ownerPid}; end that one first (is the demo already running?)`);
  log(`ending the PostgreSQL server ${pid} that a killed parent left behind`);
  try {
    process.kill(pid, "SIGINT");
  } catch {
    return; // gone meanwhile
  }
  for (let i = 0; i < 400 && existsSync(lock); i++) await new Promise((resolve) => setTimeout(resolve, 50));
  if (existsSync(lock)) throw new Error(`PostgreSQL server ${pid} still owns ${folder} after 20 s; end it and start again`);
}

export function recordOwner(folder: string): void {
  writeFileSync(path.join(folder, OWNER), `${processIdentity(process.pid)}\n`);
}

/** pid and start time: a pid alone may by now belong to someone else. Empty when there is no such process. */
function processIdentity(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "" : `${pid} ${fields[19]}`;
  } catch {
    if (existsSync("/proc/self/stat")) return "";
  }
  try {
    process.kill(pid, 0);
    return `${pid} -`;
  } catch {
    return "";
  }
}
