import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { RolePasswords } from "@/db/bootstrap";

/** What a set-up of its own needs to be told nobody: the demo keeps it beside its data, a test run forgets it. */
export type Secrets = { authSecret: string; digestKeys: string; passwords: RolePasswords; apiToken: string };

/** 256 random bits: only its SHA-256 is stored in the database. */
const newToken = () => `aops_${randomBytes(32).toString("base64url")}`;

export function newSecrets(): Secrets {
  const password = () => randomBytes(18).toString("hex");
  return {
    authSecret: randomBytes(36).toString("base64"),
    digestKeys: `k1:${randomBytes(32).toString("base64")}`,
    passwords: { migrator: password(), web: password(), worker: password() },
    apiToken: newToken(),
  };
}

/** The secrets of `file`, made at the first call; readable by their owner only. */
export function keptSecrets(file: string): Secrets {
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as Secrets;
  const secrets = newSecrets();
  keepSecrets(file, secrets);
  return secrets;
}

function keepSecrets(file: string, secrets: Secrets): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
}
