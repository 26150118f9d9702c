import type { Guard } from "./guard";

const races = "server/http/operations/races.db.test.ts";
const situations = "server/http/operations/situations.db.test.ts";
const oneTransaction = "server/domain/idempotency/one-transaction.db.test.ts";
const scopeLock = "server/domain/appointments/scope-lock.db.test.ts";
const claims = "server/domain/clinics/claims.db.test.ts";
const door = "db/client.db.test.ts";

/** What keeps one command one change, one place one visit, and a transaction whole. */
export const commandGuards: Guard[] = [
  {
    name: "key uniqueness",
    sql: "alter table idempotency_keys drop constraint idempotency_keys_pkey",
    code: [
      {
        file: "server/domain/idempotency/take-key.ts",
        find: `on conflict on constraint idempotency_keys_pkey do update
        set fingerprint = excluded.fingerprint, fingerprint_version = excluded.fingerprint_version,
            fingerprint_key_id = excluded.fingerprint_key_id, command_id = excluded.command_id, operation = excluded.operation,
            appointment_id = null, status = null, body = null, location = null, etag = null,
            created_at = clock_timestamp(), expires_at = excluded.expires_at
        where idempotency_keys.expires_at <= clock_timestamp()`,
        put: "",
      },
    ],
    killer: { file: races, test: "without the advisory lock the unique key alone keeps it one" },
  },
  {
    name: "an expired key only is taken over",
    code: [{ file: "server/domain/idempotency/take-key.ts", find: "where idempotency_keys.expires_at <= clock_timestamp()", put: "" }],
    killer: { file: races, test: "without the advisory lock the unique key alone keeps it one" },
  },
  {
    name: "no key without its answer",
    sql: "drop trigger idempotency_keys_answered on idempotency_keys",
    killer: { file: oneTransaction, test: "that was taken and not answered cannot be committed" },
  },
  {
    name: "fingerprint of a command",
    code: [{ file: "server/domain/idempotency/fingerprint.ts", find: '=== stored.digest ? "SAME" : "OTHER"', put: '? "SAME" : "OTHER"' }],
    killer: { file: situations, test: "same key, another request: 409, also for another operation, and nothing changes" },
  },
  {
    name: "savepoint around the work",
    code: [
      {
        file: "server/domain/idempotency/run-command.ts",
        find: "await withSavepoint(tx, (sp) => work(sp, { commandId }))",
        put: "await work(tx, { commandId })",
      },
    ],
    killer: { file: oneTransaction, test: "leaves nothing of its work, and keeps its refusal" },
  },
  {
    name: "waiters are bounded",
    code: [{ file: "server/domain/idempotency/waiters.ts", find: "here >= this.perKeyMax || ", put: "" }],
    killer: { file: situations, test: "more than eight wait: the ninth is sent away at once" },
  },
  {
    name: "a lost COMMIT is doubt, no failure",
    code: [
      {
        file: "server/domain/idempotency/run-command.ts",
        find: 'if (error instanceof TxError && error.code === "COMMIT_UNKNOWN") return answerAfterDoubt(deps, command, commandId);',
        put: "",
      },
    ],
    killer: { file: races, test: "the answer to COMMIT is lost: the stored answer ends the doubt, and is a first answer" },
  },
  {
    name: "version compare-and-set",
    code: [{ file: "server/domain/appointments/lock-visit.ts", find: "row.version !== call.expectedVersion", put: "row.version === null" }],
    killer: { file: races, test: "H-I2 five cancels at once: one transition; cancel against move: one wins, the other is stale" },
  },
  {
    name: "row lock of the visit",
    code: [{ file: "server/domain/appointments/lock-visit.ts", find: "    for no key update of a`;", put: "`;" }],
    killer: { file: races, test: "H-I2 five cancels at once: one transition; cancel against move: one wins, the other is stale" },
  },
  {
    name: "scope lock of a booking",
    code: [{ file: "server/domain/appointments/create-appointment.ts", find: "    for share`;", put: "`;" }],
    killer: { file: scopeLock, test: "a booking under way lets no writer of facts past" },
  },
  {
    name: "scope lock of a change",
    code: [{ file: "server/domain/appointments/lock-visit.ts", find: "      for share\n", put: "" }],
    killer: { file: scopeLock, test: "a move under way lets no writer of facts past" },
  },
  {
    name: "fact writers bump the scope",
    sql: "drop trigger bump_planning_scope on closures",
    killer: {
      file: "server/domain/clinics/set-up.db.test.ts",
      test: "writes a closure with its instants and bumps the planning scope, as the web role",
    },
  },
  {
    name: "seats trigger",
    sql: "drop trigger claims_within_seats on resource_claims",
    killer: {
      file: races,
      test: "H-A1 ten at once for one time, and five and five for overlapping times: one is booked, the others are told who has it",
    },
  },
  {
    name: "writers of one resource meet",
    sql: `do $$
    declare
      whole text := pg_get_functiondef('claims_within_seats'::regproc);
      without text := regexp_replace(whole, 'update resources set claims_seq = claims_seq \\+ 1\\s+where (.*?)\\s+returning seats into own;',
        'select seats into own from resources where \\1;');
    begin
      if without = whole then
        raise exception 'the function reads otherwise now';
      end if;
      execute without;
    end $$`,
    killer: {
      file: claims,
      test: "limits of 1, 2 and 3, outages and isolation levels mixed, racing on 8 connections: never more than allowed at any minute",
    },
  },
  {
    name: "an outage meets the claims",
    sql: "drop trigger outage_meets_claims on resource_outages",
    killer: { file: claims, test: "a claim waits for an outage that is being written, and is refused by it, at each isolation level" },
  },
  {
    name: "starts lie on the grid",
    code: [
      {
        file: "server/domain/clinics/placement-for.ts",
        find: "const isOffered = startsAt >= nowOf(facts, wish) && isOnGrid(facts, startsAt);",
        put: "const isOffered = startsAt >= nowOf(facts, wish);",
      },
    ],
    killer: {
      file: "server/http/operations/cases.db.test.ts",
      test: "a start in the past, off the grid or out of hours is refused with the reason",
    },
  },
  {
    name: "dead flag of the transaction door",
    code: [{ file: "db/gate.ts", find: "if (!this.isOpen) throw this.reason;", put: "" }],
    killer: { file: door, test: "refuses a nested transaction, a late statement and one nobody awaited" },
  },
  {
    name: "open statements are counted",
    code: [{ file: "db/gate.ts", find: "if (this.running.size > 0)", put: "if (this.running.size < 0)" }],
    killer: { file: door, test: "refuses a nested transaction, a late statement and one nobody awaited" },
  },
  {
    name: "no transaction inside another",
    code: [{ file: "db/client.ts", find: "if (insideTx.getStore()?.isOpen)", put: "if (insideTx.getStore() === null)" }],
    killer: { file: door, test: "refuses a nested transaction, a late statement and one nobody awaited" },
  },
  {
    name: "a serialization failure runs again",
    code: [{ file: "db/tx-error.ts", find: '    case "40001":\n    case "40P01":\n      return true;', put: "" }],
    killer: { file: door, test: "runs fn again on a serialization failure, from the start" },
  },
  {
    name: "row-level security policy",
    sql: "alter policy web_scope on appointments using (true) with check (true)",
    killer: { file: "db/row-level-security.db.test.ts", test: "sees its tenant group and its clinic, in every table" },
  },
  {
    name: "row-level security is forced",
    sql: "alter table appointments no force row level security",
    killer: { file: "db/row-level-security.db.test.ts", test: "has FORCE row-level security on every table but the named exceptions" },
  },
];
