import { describe, expect, it } from "vitest";
import { EnvError, read, schemas } from "./env";

const digestKeys = `k1:${Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7)).toString("base64")}`;
const web = {
  DATABASE_URL: "postgres://aops_web:x@127.0.0.1:5432/aops",
  AUTH_SECRET: "qWErtY0123456789-qWErtY0123456789",
  AUTH_URL: "https://clinic.example",
  DIGEST_KEYS: digestKeys,
};

describe("configuration", () => {
  it("fills in defaults", () => {
    expect(read(schemas.web, web)).toMatchObject({
      EVENT_LOG: "postgres",
      IDEMPOTENCY_RETENTION_HOURS: 24,
      LOG_LEVEL: "info",
      DEMO: false,
    });
  });

  it("lists everything that is wrong, and never a value", () => {
    const fault = (() => {
      try {
        read(schemas.web, { ...web, DATABASE_URL: undefined, AUTH_SECRET: "short-secret", EVENT_LOG: "kafka" });
      } catch (error) {
        return error as EnvError;
      }
    })();
    expect(fault).toBeInstanceOf(EnvError);
    expect(fault?.message).toContain("DATABASE_URL: is not set");
    expect(fault?.message).toContain("AUTH_SECRET: needs at least 32 characters");
    expect(fault?.message).not.toContain("short-secret");
  });

  it.each([
    ["AUTH_SECRET", "a".repeat(40), "too easy to guess"],
    ["DIGEST_KEYS", "k1:AAAA", "32 random bytes"],
    ["IDEMPOTENCY_RETENTION_HOURS", "1", "24 hours"],
    ["EVENT_LOG", "kafka", "KAFKA_BROKERS"],
  ])("refuses %s=%s", (name, value, message) => {
    expect(() => read(schemas.web, { ...web, [name]: value })).toThrow(message);
  });

  it("reads the demo's sign-ins at start, so that broken JSON is named there and not met while the first page is made", () => {
    const signIns = [{ email: "desk@clinic.invalid", password: "p", says: "books" }];
    expect(read(schemas.web, { ...web, DEMO_SIGN_INS: JSON.stringify(signIns) }).DEMO_SIGN_INS).toEqual(signIns);
    for (const text of ["[{", "{}", JSON.stringify([{ email: "secret-word" }])]) {
      const check = () => read(schemas.web, { ...web, DEMO_SIGN_INS: text });
      expect(check).toThrow("DEMO_SIGN_INS: must be a JSON list of { email, password, says }");
      expect(check).not.toThrow("secret-word");
    }
  });

  it("refuses a lease that could run out during one call to the log", () => {
    const worker = { WORKER_DATABASE_URL: web.DATABASE_URL, DIGEST_KEYS: digestKeys };
    expect(read(schemas.worker, worker).WORKER_LEASE_MS).toBe(30_000);
    expect(() => read(schemas.worker, { ...worker, WORKER_LEASE_MS: "14999" })).toThrow("WORKER_LEASE_MS");
  });

  it("refuses a retention of the outbox that a start or a key outlives", () => {
    const worker = { WORKER_DATABASE_URL: web.DATABASE_URL, DIGEST_KEYS: digestKeys };
    expect(read(schemas.worker, worker).OUTBOX_RETENTION_DAYS).toBe(90);
    expect(() => read(schemas.worker, { ...worker, OUTBOX_RETENTION_DAYS: "7" })).toThrow(
      "OUTBOX_RETENTION_DAYS: published rows must stay",
    );
    const keys = (days: string) => read(schemas.worker, { ...worker, OUTBOX_RETENTION_DAYS: days, IDEMPOTENCY_RETENTION_HOURS: "720" });
    expect(() => keys("30")).toThrow("OUTBOX_RETENTION_DAYS: must be longer than IDEMPOTENCY_RETENTION_HOURS");
    expect(keys("31").OUTBOX_RETENTION_DAYS).toBe(31);
  });

  it("keeps demo faults out of everything but the demo", () => {
    const worker = { WORKER_DATABASE_URL: web.DATABASE_URL, DIGEST_KEYS: digestKeys, DEMO_FAULTS: "true" };
    expect(() => read(schemas.worker, worker)).toThrow("demo only");
    expect(read(schemas.worker, { ...worker, DEMO: "true" }).DEMO_FAULTS).toBe(true);
  });
});
