import type { Guard } from "./guard";

const chain = "server/domain/audit/chain.db.test.ts";
const verifier = "server/domain/audit/verify-chain.ts";
const apart = "server/domain/operations/drills-apart.db.test.ts";

/** What keeps the audit whole, and drills away from what is real. */
export const recordGuards: Guard[] = [
  {
    name: "no fork of the audit chain",
    sql: "alter table audit_seals drop constraint audit_seals_prev_key",
    killer: { file: chain, test: "of several at once makes one chain, and a fork cannot be written even without the lock" },
  },
  {
    name: "an audit entry is written once",
    sql: "grant update, delete on audit_entries to aops_worker",
    killer: { file: chain, test: "may write a place and nothing else of an entry; web may not even that" },
  },
  {
    name: "a seal is compared with its entry",
    code: [{ file: verifier, find: "digest === row.entry_digest && row.sealed_seq === row.seq ?", put: "true ?" }],
    killer: { file: chain, test: "two entries that changed places" },
  },
  {
    name: "a checkpoint knows the tail",
    code: [{ file: verifier, find: 'if (later !== undefined) return end("TAIL_CUT", head.seq + 1n);', put: "" }],
    killer: { file: chain, test: "a deleted tail, by a checkpoint that left the database" },
  },
  {
    name: "a drill's rows are hidden from live work",
    sql: "drop policy synthetic_apart on inbox; drop policy synthetic_apart on outbox",
    killer: { file: apart, test: "gives live workers nothing to do: relay, scheduler" },
  },
  {
    name: "live rows are hidden from a drill",
    sql: "drop policy synthetic_apart on users; drop policy synthetic_apart on tenant_groups",
    killer: { file: apart, test: "is all that a connection of a drill sees and writes, and runs are not among it" },
  },
  {
    name: "one drill at a time",
    sql: "drop index drill_runs_open",
    killer: { file: "server/domain/drills/runs.db.test.ts", test: "is asked for at the same moment by two of STAFF: one run" },
  },
];
