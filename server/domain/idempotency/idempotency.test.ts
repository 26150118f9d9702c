import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDigestKeys, parseStrictJson } from "@/server/canonical-hash";
import { compareFingerprint, type FingerprintInput, fingerprint } from "./fingerprint";
import { callerOf, parseIdempotencyKey } from "./key";
import { Waiters } from "./waiters";

const key = (byte: string) => Buffer.from(byte.repeat(4).slice(0, 32).padEnd(32, "0123456789abcdef")).toString("base64");
const ring = parseDigestKeys(`k1:${key("abcdefgh")}`);
const input = (over: Partial<FingerprintInput> = {}): FingerprintInput => ({
  method: "POST",
  operation: "cancelAppointment",
  pathParams: { appointmentId: "a" },
  ifMatch: "1",
  body: { reasonCode: "OTHER" },
  ...over,
});
const digest = (over: Partial<FingerprintInput> = {}) => fingerprint(ring, input(over)).digest;

describe("the fingerprint of a command", () => {
  it("changes with each of its parts, and with none of them moved into another", () => {
    const all = [
      digest(),
      digest({ method: "MUTATION" }),
      digest({ operation: "rescheduleAppointment" }),
      digest({ pathParams: { appointmentId: "b" } }),
      digest({ ifMatch: "2" }),
      digest({ ifMatch: null }),
      digest({ ifMatch: "" }),
      digest({ body: { reasonCode: "OTHER", note: "" } }),
      digest({ method: "POSTcancelAppointment", operation: "" }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it("does not change with the order of fields, white space, escapes or the spelling of a number; it does with the order of a list", () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: "small" }), (body) => {
        const turned = JSON.parse(JSON.stringify(body), (_, value) =>
          value && typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).reverse()) : value,
        );
        expect(digest({ body: turned })).toBe(digest({ body: JSON.parse(JSON.stringify(body)) }));
      }),
    );
    expect(digest({ body: parseStrictJson('{"a":1.0,"b":"\\u00e9"}') })).toBe(digest({ body: parseStrictJson(' {"b": "é", "a": 1 }') }));
    expect(digest({ body: [1, 2] })).not.toBe(digest({ body: [2, 1] }));
    expect(digest({ body: "é" })).not.toBe(digest({ body: "e\u0301" }));
  });

  it("is compared by the version and key that made it; what cannot be read is neither same nor other", () => {
    const stored = fingerprint(ring, input());
    const rotated = parseDigestKeys(`k2:${key("zyxwvuts")},k1:${key("abcdefgh")}`);
    expect(compareFingerprint(rotated, input(), stored)).toBe("SAME");
    expect(compareFingerprint(rotated, input({ ifMatch: "2" }), stored)).toBe("OTHER");
    expect(compareFingerprint(parseDigestKeys(`k2:${key("zyxwvuts")}`), input(), stored)).toBe("UNREADABLE");
    expect(compareFingerprint(ring, input(), { ...stored, version: 2 })).toBe("UNREADABLE");
  });

  it("a rolling release with two framings: the newer process reads both, the older one refuses to guess", () => {
    const both = {
      1: ({ method }: FingerprintInput) => [method],
      2: ({ method, operation }: FingerprintInput) => [method, operation],
    };
    for (const version of [1, 2]) {
      const stored = fingerprint(ring, input(), version, both);
      expect(compareFingerprint(ring, input(), stored, both)).toBe("SAME");
    }
    expect(compareFingerprint(ring, input(), fingerprint(ring, input(), 2, both), { 1: both[1] })).toBe("UNREADABLE");
  });
});

describe("an Idempotency-Key", () => {
  const code = (header: string | null) => {
    try {
      return parseIdempotencyKey(header);
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it("is one key bare and in quotes", () => {
    expect(code("0123456789abcdef")).toBe("0123456789abcdef");
    expect(code(' "0123456789abcdef" ')).toBe("0123456789abcdef");
    expect(code(`${"x".repeat(255)}`)).toHaveLength(255);
    expect(code("a b c d e f g h !")).toBe("a b c d e f g h !");
  });

  it.each([
    "",
    " ",
    '""',
    '"short"',
    "x".repeat(15),
    "x".repeat(256),
    '"0123456789abcdef',
    "0123456789,abcdef",
    "0123456789\\abcdef",
    "0123456789ä123456",
  ])("is not %j", (header) => {
    expect(code(header)).toBe("idempotency-key-invalid");
  });

  it("is needed", () => {
    expect(code(null)).toBe("idempotency-key-required");
  });

  it("belongs to the client of a token or to the desk of a clinic", () => {
    const base = { tenantGroupId: "t", clinicIds: ["c"], ref: "r" };
    expect(callerOf({ kind: "token", clientId: "1", tokenId: "9", commands: [], ...base }, "c")).toBe("client:1");
    expect(callerOf({ kind: "person", userId: "9", roles: [], ...base }, "c")).toBe("desk:c");
  });
});

describe("the places of waiters", () => {
  it("are eight for a key and 64 in all, and come back", () => {
    const waiters = new Waiters();
    for (let i = 0; i < 8; i++) expect(waiters.enter("a")).toBe(true);
    expect(waiters.enter("a")).toBe(false);
    for (let i = 0; i < 56; i++) expect(waiters.enter(`b${i}`)).toBe(true);
    expect(waiters.enter("c")).toBe(false);
    waiters.leave("a");
    expect(waiters.enter("a")).toBe(true);
    expect(waiters.count).toBe(64);
  });
});
