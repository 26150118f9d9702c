import { describe, expect, it } from "vitest";
import { z } from "zod";
import { TxError } from "@/db/tx-error";
import { AppError } from "@/server/app-error";
import { StrictJsonError } from "@/server/canonical-hash";
import { problemBody, problemResponse } from "./problem";
import { toAppError } from "./to-app-error";

const sqlError = (code: string) => Object.assign(new Error("secret value"), { code, severity: "ERROR" });

describe("an error answer", () => {
  it("names a stable code, what to do, when to come back and the call", async () => {
    const response = problemResponse(new AppError("idempotency-in-progress", undefined, {}, 1), "request-1");
    expect([response.status, response.headers.get("content-type"), response.headers.get("retry-after")]).toEqual([
      409,
      "application/problem+json",
      "1",
    ]);
    expect(await response.json()).toMatchObject({
      type: "urn:problem:idempotency-in-progress",
      code: "idempotency-in-progress",
      status: 409,
      retryable: true,
      whatToDo: expect.stringContaining("same key"),
      instance: "urn:request:request-1",
      requestId: "request-1",
    });
  });

  it("tells who is not signed in how to", () => {
    expect(problemResponse(new AppError("signed-out"), "r").headers.get("www-authenticate")).toMatch(/^Bearer /);
  });

  it("has a body that does not depend on the call, so that a stored refusal is replayed as the same bytes", () => {
    const refusal = () => JSON.stringify(problemBody(new AppError("slot-taken", undefined, { blockers: ["doctor"] })));
    expect(refusal()).toBe(refusal());
    expect(refusal()).not.toContain("requestId");
  });

  it("cannot have its code replaced by a fact", () => {
    expect(problemBody(new AppError("slot-taken", undefined, { code: "other" })).code).toBe("slot-taken");
  });

  it.each([
    ["a conflict that the command explains", new AppError("slot-taken"), "slot-taken"],
    ["serialization failures until the budget was spent", sqlError("40001"), "database-unavailable"],
    ["a lock that was waited for too long", sqlError("55P03"), "database-unavailable"],
    ["a lost connection", new TxError("CONNECTION_LOST", "x"), "database-unavailable"],
    ["a lost COMMIT", new TxError("COMMIT_UNKNOWN", "x"), "outcome-unknown"],
    ["a value without a form", new Error("wrapped", { cause: sqlError("22P02") }), "request-invalid"],
    ["a unique violation that nobody explained", sqlError("23505"), "internal-error"],
    ["text that is not JSON", new StrictJsonError("x"), "json-invalid"],
    ["anything else", new TypeError("secret value"), "internal-error"],
  ])("for %s has its own code", async (_, error, code) => {
    const known = toAppError(error);
    expect(known.code).toBe(code);
    expect(await problemResponse(known, "r").text()).not.toContain("secret");
  });

  it("for a wrong input says where, not what was sent", async () => {
    const parsed = z.object({ name: z.string(), when: z.iso.datetime() }).safeParse({ name: 5, when: "secret value" });
    const body = await problemResponse(toAppError(parsed.error), "r").text();
    expect(JSON.parse(body).errors.map((e: { path: string }) => e.path)).toEqual(["name", "when"]);
    expect(body).not.toContain("secret");
  });
});
