import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, framed, keyedDigest, parseDigestKeys, parseStrictJson } from "./canonical-hash";

const key = (seed: number) => Buffer.from(Array.from({ length: 32 }, (_, i) => (i * 37 + seed) % 256)).toString("base64");

describe("canonical forms", () => {
  it("no two lists of fields share a framing", () => {
    const list = fc.array(fc.option(fc.string(), { nil: null }), { maxLength: 4 });
    fc.assert(fc.property(list, list, (a, b) => framed(a).equals(framed(b)) === (JSON.stringify(a) === JSON.stringify(b))));
    expect(framed(["a|b"]).equals(framed(["a", "b"]))).toBe(false);
    expect(framed([null]).equals(framed([""]))).toBe(false);
  });

  it("JSON with other key order, spaces and escapes is the same", () => {
    expect(canonicalJson(parseStrictJson('{ "b": 1.0, "a": "\\u0041" }'))).toBe(canonicalJson(parseStrictJson('{"a":"A","b":1}')));
    expect(canonicalJson(parseStrictJson("[1,2]"))).not.toBe(canonicalJson(parseStrictJson("[2,1]")));
  });

  it("refuses what JSON.parse would change without a word", () => {
    expect(() => parseStrictJson('{"a":1,"b":{"c":1,"\\u0063":2}}')).toThrow("twice");
    expect(() => parseStrictJson('{"a":9007199254740993}')).toThrow("2^53");
    expect(() => parseStrictJson('{"a":"\\ud800"}')).toThrow("surrogate");
    expect(() => parseStrictJson("{")).toThrow("not JSON");
    expect(() => parseStrictJson(`${"[".repeat(40)}${"]".repeat(40)}`)).toThrow("nested");
    expect(parseStrictJson('{"a":[{"x":1},{"x":2}],"x":"{\\"x\\":1}"}')).toEqual({ a: [{ x: 1 }, { x: 2 }], x: '{"x":1}' });
  });

  it("digests are keyed, and an older key still verifies", () => {
    const before = parseDigestKeys(`k1:${key(1)}`);
    const after = parseDigestKeys(`k2:${key(2)},k1:${key(1)}`);
    const made = keyedDigest(before, "fp:v1", ["x"]);
    expect(keyedDigest(after, "fp:v1", ["x"]).digest).not.toBe(made.digest);
    expect(keyedDigest(after, "fp:v1", ["x"], made.keyId)).toEqual(made);
    expect(() => keyedDigest(before, "fp:v1", ["x"], "k2")).toThrow("DIGEST_KEYS");
    expect(() => parseDigestKeys("k1:AAAA")).toThrow("32");
    expect(() => parseDigestKeys(`k1:${Buffer.alloc(32).toString("base64")}`)).toThrow("random");
  });
});
