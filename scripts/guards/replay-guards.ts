import type { Guard } from "./guard";

const approve = "server/domain/replay/approve-replay.db.test.ts";
const run = "server/domain/replay/run-replay-once.db.test.ts";

/** What keeps a replay to what was approved, by whom, and once. */
export const replayGuards: Guard[] = [
  {
    name: "a row in one open replay",
    sql: "drop index replay_items_open",
    killer: {
      file: approve,
      test: "O-A of the same row under another request is answered with the first request's id, and shown at its preview",
    },
  },
  {
    name: "role in the act's own transaction",
    code: [{ file: "server/domain/replay/as-replay-operator.ts", find: "if (held.length === 0) throw missing();", put: "" }],
    killer: {
      file: approve,
      test: "that is taken away between preview and approval is missed in the act's own transaction, and audited once",
    },
  },
  {
    name: "the second person is another one",
    sql: "alter table replay_requests drop constraint replay_requests_second",
    killer: { file: approve, test: "cannot be the first one by any way around: the table refuses it" },
  },
  {
    name: "what is wanted, asked before each row",
    code: [
      {
        file: "server/domain/inbox/claim-row.ts",
        find: 'if (replay && !(await replay.mayClaim(tx))) return { end: "NOT_DUE" };',
        put: "",
      },
    ],
    killer: { file: run, test: "a pause is obeyed before the next row, survives the process, and a resume goes on at the same place" },
  },
  {
    name: "digest of the manifest at its claim",
    code: [
      {
        file: "server/domain/replay/claim-job.ts",
        find: 'return digest === request.manifestDigest ? null : "MANIFEST_CHANGED";',
        put: "return null;",
      },
    ],
    killer: { file: run, test: "that was tampered with, an approval out of time, and a log that was switched run nothing" },
  },
  {
    name: "the canary before the rest",
    code: [{ file: "server/domain/replay/states.ts", find: "if (tried < bounds.canarySize) return bounds.canarySize - tried;", put: "" }],
    killer: {
      file: "server/domain/replay/states.test.ts",
      test: "never takes more than the canary before that is judged, and no more than five seconds of work",
    },
  },
];
