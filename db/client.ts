// The only way to the data. Writing: withTx. Reading: withRead, the same door in a READ ONLY transaction. Both set what row-level security
// compares; a statement outside of them sees no tenant row and may write none. db/README.md says which guard stops what.
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { arrayTypeOptions } from "./array-types";
import { Gate } from "./gate";
import { isConnectionLoss, needsRestart, sqlstate, TxError } from "./tx-error";

/** What row-level security sees of an actor. A worker may name a tenant group as well: then it sees only that one. */
export type TxActor = { tenantGroupId?: string; clinicIds?: readonly string[]; worker?: string };
export type Db = PostgresJsDatabase & { $client: postgres.Sql };
export type Tx = PostgresJsDatabase & { sql: postgres.Sql; readonly [door]: true };
export type TxOptions = {
  isolation?: "read committed" | "repeatable read" | "serializable";
  /** For all attempts together; 10 s. */
  deadlineMs?: number;
  /** 2 s: a lock that is waited for longer is an outage (55P03), not a refusal. */
  lockTimeoutMs?: number;
  /** 5 s: nothing but the database may be awaited inside. */
  idleTimeoutMs?: number;
  /** Runs of `fn` when the database asks for another (40001, 40P01); 5. */
  attemptsMax?: number;
  /**
   * Plans go by indexes only, and are made once for the life of a connection. For statements over queues: a plan that was made while the table was
   * small would read all of it when it has grown; and for an array of one the server would plan each call anew, which costs more than the call.
   */
  byIndex?: boolean;
  /**
   * COMMIT does not wait for the disk: a crash of the database server (not of this process) may undo it, together with everything that came later.
   * Only for what is worth nothing without a later transaction that does wait.
   */
  lazyCommit?: boolean;
};
declare const door: unique symbol;
type Mode = TxOptions & { readOnly?: boolean };

const insideTx = new AsyncLocalStorage<{ isOpen: boolean }>();
const opened = new WeakMap<object, { db: Db; raw: postgres.TransactionSql; gate: Gate; scope: object }>();

/**
 * Opens a pool. Connections are made when first needed, so a build without a database works.
 * A COMMIT or ROLLBACK that met no transaction (25P01) ended somebody else's: the process stops before it answers anything.
 */
export function openDb(
  url: string,
  options: { max?: number; prepare?: boolean; applicationName?: string; onStrayEnd?: () => void } = {},
): Db {
  const stop = () => {
    process.stderr.write('{"level":"fatal","code":"STRAY_TRANSACTION_END","msg":"a transaction was ended by another; stopping"}\n');
    process.exit(1);
  };
  const client = postgres(url, {
    max: options.max ?? 10,
    prepare: options.prepare ?? true,
    fetch_types: false,
    types: arrayTypeOptions as never,
    connect_timeout: 3,
    idle_timeout: 0,
    connection: { application_name: options.applicationName ?? "appointment-operations", TimeZone: "UTC" },
    onnotice: (notice) => {
      if (notice.code === "25P01") (options.onStrayEnd ?? stop)();
    },
  });
  return withDrizzle(client) as unknown as Db;
}

/**
 * drizzle replaces how a client writes and reads dates, arrays of them included: a timestamptz[] parameter would then be sent as it is and end the
 * process. Ours are put back.
 */
function withDrizzle(client: postgres.Sql): PostgresJsDatabase {
  const made = drizzle(client, { casing: "snake_case" });
  for (const { to, serialize, parse } of Object.values(arrayTypeOptions)) {
    client.options.serializers[to] = serialize;
    client.options.parsers[to] = parse;
  }
  return made;
}

/** Ends a pool without waiting for statements that never settle. */
export const closeDb = (db: Db, timeoutSeconds = 2): Promise<void> => db.$client.end({ timeout: timeoutSeconds });

/**
 * Runs `fn` in one transaction and commits it. Everything in `fn` runs again from the start when the database asks for it, so it may hold nothing
 * but statements of its `tx`. Throws TxError, the database's error, or what `fn` threw (then nothing was committed).
 */
export function withTx<T>(db: Db, actor: TxActor, fn: (tx: Tx) => Promise<T>, options: TxOptions = {}): Promise<T> {
  return repeatOnConflict(options, (budgetMs) => runOnce(db, actor, fn, options, budgetMs));
}

/** The same door for questions: one READ ONLY transaction, so several statements may be asked of one scope. */
export function withRead<T>(db: Db, actor: TxActor, fn: (tx: Tx) => Promise<T>, options: TxOptions = {}): Promise<T> {
  return repeatOnConflict(options, (budgetMs) => runOnce(db, actor, fn, { ...options, readOnly: true }, budgetMs));
}

/** Re-runs the whole attempt, reads included, from a fresh snapshot. */
async function repeatOnConflict<T>(options: TxOptions, attemptOnce: (budgetMs: number) => Promise<T>): Promise<T> {
  if (insideTx.getStore()?.isOpen) throw new TxError("NESTED", "withTx inside withTx: pass tx on, or use withSavepoint");
  const deadline = performance.now() + (options.deadlineMs ?? 10_000);
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(deadline - performance.now());
    } catch (error) {
      const delayMs = Math.random() * Math.min(10 * 2 ** attempt, 500);
      const spent = attempt >= (options.attemptsMax ?? 5) || performance.now() + delayMs >= deadline;
      if (!needsRestart(error) || spent) throw error;
      await sleep(delayMs);
    }
  }
}

/** A refusal inside undoes the work of `fn`, not the transaction. Catch only what you planned; 40001 and 40P01 must pass. */
export async function withSavepoint<T>(tx: Tx, fn: (sp: Tx) => Promise<T>): Promise<T> {
  const { db, raw, gate, scope } = opened.get(tx) ?? fail("NO_TRANSACTION", "withSavepoint needs the tx of withTx");
  gate.assertTurn(scope);
  const inner = {};
  gate.turn = inner;
  const work = (sp: postgres.TransactionSql) =>
    fn(handle(db, sp, gate, inner)).finally(() => {
      gate.turn = undefined; // nobody's, until the driver's ROLLBACK TO is through
    });
  try {
    return await Promise.race([raw.savepoint((sp) => gate.settleUnlessLost(work(sp))) as Promise<T>, gate.broken]);
  } finally {
    gate.turn = scope;
  }
}

async function runOnce<T>(db: Db, actor: TxActor, fn: (tx: Tx) => Promise<T>, mode: Mode, budgetMs: number): Promise<T> {
  const gate = new Gate();
  const isolation = mode.isolation ?? "read committed";
  const timer = setTimeout(() => gate.break(new TxError("DEADLINE", `not done after ${Math.round(budgetMs)} ms`)), budgetMs);

  const work = async (raw: postgres.TransactionSql): Promise<T> => {
    gate.assertOpen(); // the deadline may have passed while we waited for a connection
    const root = gate.turn as object;
    try {
      // Not awaited: it travels with the first statement of fn. SET LOCAL and SHOW take no snapshot, SELECT set_config() would.
      const settings = gate.guard(raw.unsafe(settingsSql(actor, mode, budgetMs)), root).execute();
      const checked = settings.then((results) => assertIsolation(results, isolation));
      checked.catch(() => {}); // awaited below; until then its failure shows as 25P02 in fn
      const result = await insideTx.run(gate, () => fn(handle(db, raw, gate, root)));
      await checked;
      gate.startCommit();
      return result;
    } finally {
      gate.close();
    }
  };

  const begin = `isolation level ${isolation}${mode.readOnly ? " read only" : ""}`;
  const begun = db.$client.begin(begin, (raw) => gate.settleUnlessLost(work(raw))) as Promise<T>;
  begun.then(gate.end, gate.end);
  try {
    return await Promise.race([begun, gate.broken]);
  } catch (error) {
    throw outcome(error, gate);
  } finally {
    clearTimeout(timer);
  }
}

/** Before COMMIT was sent nothing can have been committed. Afterwards only an answer of the server says whether it was. */
function outcome(error: unknown, gate: { commitSent: boolean }): unknown {
  const answered = sqlstate(error) !== undefined && !isConnectionLoss(error);
  if (gate.commitSent && !answered) return new TxError("COMMIT_UNKNOWN", "the answer to COMMIT was lost", error);
  if (isConnectionLoss(error)) return new TxError("CONNECTION_LOST", "rolled back: the connection was lost before COMMIT", error);
  return error;
}

/** A drizzle handle and a raw tag over the same gated client. */
function handle(db: Db, raw: postgres.TransactionSql, gate: Gate, scope: object): Tx {
  const prepare = db.$client.options.prepare !== false;
  const tag = (first: never, ...rest: never[]) => {
    const made = (raw as unknown as (...args: unknown[]) => unknown)(first, ...rest);
    return made instanceof Promise ? gate.guard(made, scope) : made; // sql("name") and sql({ … }) are helpers, not statements
  };
  const client = Object.assign(tag, {
    options: db.$client.options,
    json: raw.json,
    // drizzle comes this way. Prepared: an unnamed statement with parameters costs postgres.js two round trips instead of one.
    // Started at once, so that a statement nobody awaits is counted before fn settles.
    unsafe: (text: string, values: never[] = []) =>
      gate.guard(raw.unsafe(text, values, { prepare: prepare && values.length > 0 }), scope).execute(),
    begin: () => fail("NESTED", "tx.transaction would drop the isolation level: use withSavepoint"),
  }) as unknown as postgres.Sql;
  const tx = Object.assign(withDrizzle(client), { sql: client }) as unknown as Tx;
  opened.set(tx, { db, raw, gate, scope });
  return tx;
}

/** SET takes no bind parameters, so values are checked and quoted here. */
function settingsSql(actor: TxActor, mode: Mode, budgetMs: number): string {
  const settings = {
    "app.tenant_group_id": actor.tenantGroupId ?? "",
    "app.clinic_ids": actor.clinicIds?.join(",") ?? "",
    "app.worker": actor.worker ?? "",
    lock_timeout: `${mode.lockTimeoutMs ?? 2_000}ms`,
    idle_in_transaction_session_timeout: `${mode.idleTimeoutMs ?? 5_000}ms`,
    transaction_timeout: `${Math.max(1, Math.ceil(budgetMs)) + 250}ms`, // the server's own end, just behind ours
  };
  if (mode.byIndex) Object.assign(settings, { enable_seqscan: "off", plan_cache_mode: "force_generic_plan" });
  if (mode.lazyCommit) Object.assign(settings, { synchronous_commit: "off" });
  const lines = Object.entries(settings).map(([name, value]) => {
    if (!/^[\w,.:-]*$/.test(value)) fail("BAD_SETTING", `${name} holds a character that no id or name has`);
    return `set local ${name} = '${value}'`;
  });
  return `${lines.join(";\n")};\nshow transaction_isolation`;
}

function assertIsolation(results: unknown, wanted: string) {
  const found = (results as { transaction_isolation: string }[][]).at(-1)?.[0]?.transaction_isolation;
  if (found !== wanted) throw new TxError("WRONG_ISOLATION", `${found} instead of ${wanted}`);
}

function fail(code: TxError["code"], message: string): never {
  throw new TxError(code, message);
}
