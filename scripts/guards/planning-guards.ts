// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings quote source text, placeholders and all
import type { Guard } from "./guard";

const apply = "server/domain/planning/apply-plan.db.test.ts";
const races = "server/domain/planning/apply-races.db.test.ts";
const again = "server/domain/planning/apply-again-once.db.test.ts";
const calculate = "server/domain/planning/calculate-once.db.test.ts";

/** What keeps a plan to the facts and rows that it was calculated from. */
export const planningGuards: Guard[] = [
  {
    name: "every fact writer bumps the planning scope",
    sql: "drop trigger bump_planning_scope on absences",
    killer: { file: races, test: "in the hands of a blind insert by direct SQL is waited for, and never missed" },
  },
  {
    name: "the planning scope, locked first",
    code: [
      {
        file: "server/domain/planning/held-scope.ts",
        find: "      for no key update`;",
        put: "`;",
      },
    ],
    killer: { file: races, test: "in the hands of a READ COMMITTED writer that locks the scope first is waited for, and never missed" },
  },
  {
    name: "the planning scope, locked first by the worker that applies again too",
    code: [{ file: "server/domain/planning/held-scope.ts", find: "      for no key update`;", put: "`;" }],
    killer: {
      file: again,
      test: "waits for a fact that is in the hands of a READ COMMITTED writer that locks the scope first, and never misses it",
    },
  },
  {
    name: "an apply is SERIALIZABLE",
    code: [{ file: "server/domain/planning/held-scope.ts", find: 'scope.isolation !== "serializable"', put: 'scope.isolation === ""' }],
    killer: { file: apply, test: "such as a repeatable read one gets no hold of the scope, without which nothing is applied" },
  },
  {
    name: "the rows that a plan rests on, locked",
    code: [
      { file: "server/domain/planning/lock-sources.ts", find: "${isLocked ? tx.sql`for no key update` : tx.sql``}", put: "${tx.sql``}" },
    ],
    killer: { file: races, test: "direct SQL that has a visit in its hands is waited for, although it asked for no scope" },
  },
  {
    name: "digest of the facts",
    code: [
      { file: "server/domain/planning/apply-in-tx.ts", find: "if (attempt.factsDiffer) {", put: "if (attempt.factsDiffer && !run.id) {" },
    ],
    killer: { file: races, test: "between calculation and apply makes the plan stale, and only its own group differs" },
  },
  {
    name: "versions of what stays",
    code: [
      { file: "server/domain/planning/apply-in-tx.ts", find: 'if (attempt.isBehind) return attempt.stale("VERSIONS", "CAS");', put: "" },
    ],
    killer: { file: races, test: "a visit that stays and was moved by hand refuses it too, by its placement" },
  },
  {
    name: "compare-and-set of what moves",
    code: [
      { file: "server/domain/planning/apply-in-tx.ts", find: 'if (attempt.isBehind) return attempt.stale("VERSIONS", "CAS");', put: "" },
      { file: "server/domain/appointments/move-visits.ts", find: "where a.id = w.id and a.version = w.version", put: "where a.id = w.id" },
    ],
    killer: { file: races, test: "a visit that was moved by hand refuses the plan, by its name and both versions" },
  },
  {
    name: "compare-and-set of what moves, alone",
    code: [
      { file: "server/domain/appointments/move-visits.ts", find: "where a.id = w.id and a.version = w.version", put: "where a.id = w.id" },
    ],
    killer: { file: apply, test: "alone refuses a version that came after the rows were compared: the whole statement is undone" },
  },
  {
    name: "framing of the facts in their version",
    code: [
      { file: "server/domain/planning/snapshot/planning-fact-version.ts", find: "framed([framing, ...scope", put: "framed([...scope" },
      { file: "server/domain/planning/snapshot/planning-fact-version.ts", find: "framed([framing, group])", put: "framed([group])" },
    ],
    killer: { file: apply, test: "is stale, although no fact has changed" },
  },
  {
    name: "claims within the seats, for plans too",
    sql: "drop trigger claims_within_seats on resource_claims",
    killer: { file: apply, test: "is refused by the database when its checker let two visits into one place: nothing is written" },
  },
  {
    name: "nobody is moved into the past",
    code: [{ file: "server/domain/planning/apply-in-tx.ts", find: 'return attempt.stale("TIME", "CAS");', put: "void 0;" }],
    killer: { file: apply, test: "into a time that has gone by is refused: nobody is moved into the past" },
  },
  {
    name: "role in the apply's own transaction",
    code: [{ file: "server/domain/planning/apply-plan.ts", find: "if (held.length === 0) throw", put: "if (held.length < 0) throw" }],
    killer: { file: apply, test: "that was taken away between the page and the click is missed in the apply's own transaction" },
  },
  {
    name: "predicate locks on rows, not on tables",
    code: [{ file: "server/domain/planning/apply-plan.ts", find: "byIndex: true", put: "byIndex: false" }],
    killer: { file: races, test: "is rows and pages of indexes, never a whole table: strangers' applies would abort each other" },
  },
  {
    name: "fence of the worker that applies again",
    code: [
      {
        file: "server/domain/planning/apply-again-once.ts",
        find: ' || run.fence !== claimed.fence) return "FENCED";',
        put: ') return "FENCED";',
      },
    ],
    killer: { file: again, test: "whose lease has ended while another one failed: its fence is not the run's any more" },
  },
  {
    name: "who ordered an apply still may",
    code: [
      {
        file: "server/domain/planning/apply-again-once.ts",
        find: "if (!(await ordererHoldsRole(tx, run))) return leaveToStaff(tx, worker, run);",
        put: "",
      },
    ],
    killer: { file: again, test: "does not apply for somebody who is STAFF no more" },
  },
  {
    name: "who ordered an apply, asked under lock",
    code: [
      {
        file: "server/domain/planning/apply-again-once.ts",
        find: "select hold_role(${run.applyById}, ${run.clinicId}, 'STAFF') as holds",
        put: "select exists (select from user_roles where user_id = ${run.applyById} and role = 'STAFF') as holds",
      },
    ],
    killer: {
      file: again,
      test: "sees a role that is taken away while a booking holds the scope: it asked under lock, not in its old snapshot",
    },
  },
  {
    name: "fence in the settling of a calculation",
    code: [
      {
        file: "server/domain/planning/settle-calculation.ts",
        find: "where id = ${run.id} and fence = ${run.fence} and state = 'CALCULATING'",
        put: "where id = ${run.id} and state = 'CALCULATING'",
      },
    ],
    killer: { file: calculate, test: "that comes back late, with another solver at work, writes nothing: the run is not its own any more" },
  },
];
