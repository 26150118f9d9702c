import { DrizzleQueryError } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { databaseError, isConnectionLoss, isDatabaseOutage, needsRestart, sqlstate, TxError } from "./tx-error";

const ofServer = (code: string, more: object = {}) => Object.assign(new Error("said the server"), { code, severity: "ERROR", ...more });
const ofSocket = (code: string) => Object.assign(new Error("said the socket"), { code });

/** Where drivers and wrappers put the server's error. */
const shapes: [string, (code: string, more?: object) => unknown][] = [
  ["raw, as COMMIT raises it", ofServer],
  ["inside drizzle's wrapper", (code, more) => new DrizzleQueryError("select 1", [], ofServer(code, more))],
  ["in a list of errors", (code, more) => new AggregateError([ofSocket("ECONNRESET"), ofServer(code, more)])],
  ["two wrappers deep", (code, more) => new Error("outer", { cause: { error: ofServer(code, more) } })],
];

describe.each(shapes)("an error of the database %s", (_name, wrap) => {
  it("shows its code and constraint", () => {
    expect(sqlstate(wrap("23P01"))).toBe("23P01");
    expect(databaseError(wrap("23505", { constraint_name: "idempotency_keys_pkey" }))?.constraint).toBe("idempotency_keys_pkey");
  });

  it.each(["40001", "40P01"])("%s means: again from the start", (code) => {
    expect(needsRestart(wrap(code))).toBe(true);
  });

  it("a rival's key means: again from the start, any other unique key does not", () => {
    for (const constraint of ["idempotency_keys_pkey", "patients_external_key", "appointments_ref_key"])
      expect(needsRestart(wrap("23505", { constraint_name: constraint }))).toBe(true);
    expect(needsRestart(wrap("23505", { constraint_name: "notification_intents_change_key" }))).toBe(false);
    expect(needsRestart(wrap("23P01"))).toBe(false);
  });

  it.each(["57014", "55P03", "25P03", "25P04", "57P01", "53300"])("%s is an outage, never a refusal of the business", (code) => {
    expect([isDatabaseOutage(wrap(code)), needsRestart(wrap(code))]).toEqual([true, false]);
  });

  it.each(["23P01", "23505", "22P02", "42501"])("%s is no outage", (code) => {
    expect(isDatabaseOutage(wrap(code))).toBe(false);
  });
});

describe("an error of the socket", () => {
  it("is a lost connection and no SQLSTATE, also where its code looks like one", () => {
    for (const code of ["EPIPE", "ECONNRESET", "CONNECTION_CLOSED", "CONNECT_TIMEOUT", "ENOTFOUND"])
      expect([sqlstate(ofSocket(code)), isConnectionLoss(ofSocket(code)), isDatabaseOutage(ofSocket(code))]).toEqual([
        undefined,
        true,
        true,
      ]);
  });

  it("a FATAL of the server ends the connection, an ERROR does not", () => {
    expect(isConnectionLoss(ofServer("57P01", { severity: "FATAL" }))).toBe(true);
    expect(isConnectionLoss(ofServer("57014"))).toBe(false);
  });

  it("of an error that refers to itself, or of no error, nothing is said", () => {
    const round: { cause?: unknown } = {};
    round.cause = round;
    for (const nothing of [round, null, undefined, "text", 1])
      expect([sqlstate(nothing), isConnectionLoss(nothing), needsRestart(nothing)]).toEqual([undefined, false, false]);
  });

  it("a lost COMMIT, a deadline and a lost connection are outages; a broken rule of the door is not", () => {
    for (const code of ["COMMIT_UNKNOWN", "DEADLINE", "CONNECTION_LOST"] as const)
      expect(isDatabaseOutage(new TxError(code, ""))).toBe(true);
    for (const code of ["NESTED", "LATE_STATEMENT", "UNAWAITED_STATEMENT"] as const)
      expect(isDatabaseOutage(new TxError(code, ""))).toBe(false);
  });
});
