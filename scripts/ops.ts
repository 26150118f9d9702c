// npm run ops -- …: sets up who may act, and checks the audit. Works on MIGRATOR_DATABASE_URL, because it looks across tenant groups. `replay`,
// `delivery` and `planning` are acts of a person: they work on DATABASE_URL in the web role, with the rights that the person holds.
import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import { closeDb, type Db, openDb } from "@/db/client";
import { verifyAudit } from "@/scripts/lib/audit-verify";
import { deliveryCommand, deliveryUsage } from "@/scripts/lib/delivery-command";
import { planningCommand, planningUsage } from "@/scripts/lib/planning-command";
import { replayCommand, replayUsage } from "@/scripts/lib/replay-command";
import { scriptEnv } from "@/scripts/lib/script-env";
import { checkCounters, recountGroups } from "@/server/domain/deliveries/recount-groups";
import { type Role, roles, type TokenCommand, tokenCommands } from "@/server/domain/scope/actor";
import { createToken, listTokens, revokeToken } from "@/server/domain/scope/api-tokens";
import { createUser, listUsers, setUserDisabled } from "@/server/domain/scope/users";
import { webEnv } from "@/server/env";
import { openEventLog } from "@/server/event-log/open-event-log";

const usage = `npm run ops -- token create --tenant TG-… --client "Name" --clinics CL-…,CL-… --commands ${tokenCommands[1]},… [--days 90]
npm run ops -- token list --tenant TG-…
npm run ops -- token revoke --id <token id>
npm run ops -- user create --tenant TG-… --email … --name … --roles STAFF,… [--clinics CL-…,CL-…]   (password: OPS_PASSWORD, else made and printed)
npm run ops -- user list --tenant TG-…
npm run ops -- user disable|enable --tenant TG-… --user ST-…
npm run ops -- audit verify [--tenant TG-…] [--checkpoints file]   (DIGEST_KEYS of the product; a broken chain ends with exit code 1)

${replayUsage}
${deliveryUsage}
${planningUsage}

commands: ${tokenCommands.join(", ")}
roles: ${roles.join(", ")}
MIGRATOR_DATABASE_URL says which database.`;

type Flags = Record<string, string | undefined>;
const by = userInfo().username;

const acts: Record<string, (db: Db, flags: Flags) => Promise<void>> = {
  "token create": async (db, flags) => {
    const made = await createToken(db, by, {
      tenantRef: needed(flags, "tenant"),
      clientName: needed(flags, "client"),
      clinicRefs: list(needed(flags, "clinics")),
      commands: oneOf(tokenCommands, list(needed(flags, "commands"))) as TokenCommand[],
      days: flags.days === undefined ? undefined : days(flags.days),
    });
    console.log(`${made.token}\n\nclient ${made.clientRef}, token id ${made.tokenId}. It is shown this once: keep it now.`);
  },
  "token list": async (db, flags) => {
    const tokens = await listTokens(db, needed(flags, "tenant"));
    table(tokens.map((t) => [t.id, t.state, t.clientRef, t.client, t.clinics.join(","), t.commands.join(",")]));
  },
  "token revoke": async (db, flags) => {
    const id = needed(flags, "id");
    console.log((await revokeToken(db, by, id)) ? `token ${id} is revoked` : `token ${id} was revoked before`);
  },
  "user create": async (db, flags) => {
    const { OPS_PASSWORD } = scriptEnv.ops();
    const password = OPS_PASSWORD ?? randomBytes(12).toString("base64url");
    const made = await createUser(db, by, {
      tenantRef: needed(flags, "tenant"),
      email: needed(flags, "email"),
      name: needed(flags, "name"),
      password,
      roles: oneOf(roles, list(needed(flags, "roles"))) as Role[],
      clinicRefs: list(flags.clinics ?? ""),
    });
    console.log(`user ${made.ref}${OPS_PASSWORD ? "" : `, password ${password} (shown this once)`}`);
  },
  "user list": async (db, flags) => {
    const users = await listUsers(db, needed(flags, "tenant"));
    table(users.map((u) => [u.ref, u.disabled ? "disabled" : "active", u.email, u.roles.join(" ")]));
  },
  "delivery recount": async (db, flags) => {
    const faults = await (flags.repair === undefined ? checkCounters(db) : recountGroups(db, by));
    table(Object.entries(faults).map(([fault, count]) => [fault, String(count)]));
    const sum = Object.values(faults).reduce((all, count) => all + count, 0);
    console.log(
      sum === 0 ? "the counters say what the rows say" : flags.repair === undefined ? "they differ: add --repair yes" : "repaired",
    );
    if (sum > 0 && flags.repair === undefined) process.exitCode = 1;
  },
  "user disable": (db, flags) => setDisabled(db, flags, true),
  "user enable": (db, flags) => setDisabled(db, flags, false),
  "audit verify": async (db, flags) => {
    const { DIGEST_KEYS, AUDIT_CHECKPOINT_FILE } = process.env;
    const checkpointFile = flags.checkpoints ?? (AUDIT_CHECKPOINT_FILE || undefined);
    const { lines, isWhole } = await verifyAudit(db, { tenantRef: flags.tenant, checkpointFile, digestKeys: DIGEST_KEYS });
    console.log(lines.join("\n"));
    if (!isWhole) process.exitCode = 1;
  },
};

async function setDisabled(db: Db, flags: Flags, disabled: boolean): Promise<void> {
  const userRef = needed(flags, "user");
  await setUserDisabled(db, by, { tenantRef: needed(flags, "tenant"), userRef, disabled });
  console.log(`user ${userRef} is ${disabled ? "disabled" : "active"}`);
}

function needed(flags: Flags, name: string): string {
  const value = flags[name]?.trim();
  if (!value) throw new Error(`--${name} is missing\n\n${usage}`);
  return value;
}

const list = (text: string): string[] => [...new Set(text.split(",").map((part) => part.trim()))].filter(Boolean);

function oneOf(known: readonly string[], given: string[]): string[] {
  const unknown = given.find((word) => !known.includes(word));
  if (unknown || given.length === 0) throw new Error(`${unknown ?? "nothing"} is none of ${known.join(", ")}`);
  return given;
}

function days(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 3650) throw new Error("--days is a whole number from 1 to 3650");
  return value;
}

function table(rows: string[][]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  if (rows.length === 0) console.log("none");
}

/** As the person who proves to be one, over the web role's connection: row-level security and grants are those of the pages. */
async function byPerson([group, ...argv]: string[]): Promise<void> {
  const env = webEnv();
  const db = openDb(env.DATABASE_URL, { max: 2, prepare: env.DATABASE_PREPARE, applicationName: "ops" });
  const eventLog = await openEventLog(env, db);
  const commands = { db, digestKeys: env.DIGEST_KEYS, retentionHours: env.IDEMPOTENCY_RETENTION_HOURS, waitMs: env.IDEMPOTENCY_WAIT_MS };
  const { OPS_PASSWORD } = process.env;
  try {
    const lines =
      group === "replay"
        ? await replayCommand(argv, { db, eventLog, ring: env.DIGEST_KEYS, commands }, OPS_PASSWORD)
        : await (group === "planning" ? planningCommand : deliveryCommand)(argv, commands, OPS_PASSWORD);
    console.log(lines.join("\n"));
  } finally {
    await eventLog.close();
    await closeDb(db);
  }
}

async function main(): Promise<void> {
  const [group, what] = process.argv.slice(2);
  if (group === "replay" || group === "planning" || (group === "delivery" && what !== "recount")) return byPerson(process.argv.slice(2));
  const names = ["tenant", "client", "clinics", "commands", "days", "id", "email", "name", "roles", "user", "checkpoints", "repair"];
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const act = acts[positionals.join(" ")];
  if (!act) throw new Error(usage);
  const db = openDb(scriptEnv.ops().MIGRATOR_DATABASE_URL, { max: 1, applicationName: "ops" });
  try {
    await act(db, values as Flags);
  } finally {
    await closeDb(db);
  }
}

main().catch((error: Error & { detail?: string }) => {
  console.error(error.detail ?? error.message);
  process.exitCode = 1;
});
