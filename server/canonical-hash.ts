import { createHmac } from "node:crypto";
import { canonicalize } from "json-canonicalize";

/** HMAC keys by id; the first is active, the others only verify what they once made. */
export type DigestRing = { active: string; keys: ReadonlyMap<string, Buffer> };

/** Reads `k2:<base64>,k1:<base64>`. Throws with what is wrong, never with a key. */
export function parseDigestKeys(text: string): DigestRing {
  const keys = new Map<string, Buffer>();
  for (const entry of text.split(",")) {
    const [id, encoded] = entry.trim().split(":");
    if (!id || !/^[a-z0-9-]{1,16}$/.test(id) || !encoded)
      throw new Error("must be id:base64 pairs with a comma between, the active one first");
    const key = Buffer.from(encoded, "base64");
    if (key.length < 32 || new Set(key).size < 8)
      throw new Error(`key ${id} needs at least 32 random bytes, base64: openssl rand -base64 32`);
    if (keys.has(id)) throw new Error(`key ${id} is there twice`);
    keys.set(id, key);
  }
  return { active: [...keys.keys()][0] as string, keys };
}

/**
 * Length-prefixed bytes of a list of fields: null, "" and a value differ, and no two lists share a framing
 * (a joined list would: ["a|b"] and ["a", "b"]). 1 byte null or value, 4 bytes length, UTF-8.
 */
export function framed(parts: readonly (string | null)[]): Buffer {
  const lengths = parts.map((part) => (part === null ? -1 : Buffer.byteLength(part)));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + (length < 0 ? 1 : 5 + length), 0));
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const length = lengths[index] as number;
    at = bytes.writeUInt8(part === null ? 0 : 1, at);
    if (part === null) continue;
    at = bytes.writeUInt32BE(length, at);
    at += bytes.write(part, at, length, "utf8");
  }
  return bytes;
}

/** HMAC-SHA-256, hex, under one key of the ring (the active one unless `keyId` says which). Unkeyed digests of patient data could be guessed. */
export function keyedDigest(
  ring: DigestRing,
  label: string,
  parts: readonly (string | null)[],
  keyId = ring.active,
): { digest: string; keyId: string } {
  const key = ring.keys.get(keyId);
  if (!key) throw new Error(`digest key ${keyId} is not in DIGEST_KEYS any more`);
  return {
    digest: createHmac("sha256", key)
      .update(framed([label, ...parts]))
      .digest("hex"),
    keyId,
  };
}

/** RFC 8785: one text for one JSON value, whatever the order of its keys. */
export const canonicalJson = (value: unknown): string => canonicalize(value);

/** Why a text is no JSON that two systems would read alike. */
export class StrictJsonError extends Error {
  readonly name = "StrictJsonError";
}

/**
 * JSON.parse that refuses what it would silently change: a key given twice, an integer beyond 2^53, a lone surrogate.
 * Throws StrictJsonError; its message names no value of the input.
 */
export function parseStrictJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StrictJsonError("the body is not JSON");
  }
  assertFaithful(value);
  assertUniqueKeys(text);
  return value;
}

function assertFaithful(value: unknown, path: readonly string[] = []): void {
  if (path.length > 32) throw new StrictJsonError("the body is nested more than 32 deep");
  const refuse = (what: string): never => {
    throw new StrictJsonError(`${placeOf(path)} holds ${what}`);
  };
  if (typeof value === "string" && !value.isWellFormed()) refuse("half of a character (a lone surrogate)");
  if (typeof value === "number" && (Math.abs(value) > Number.MAX_SAFE_INTEGER || !Number.isFinite(value)))
    refuse("a number beyond 2^53: send it as a string");
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!key.isWellFormed()) refuse("half of a character (a lone surrogate) in the name of a field");
    assertFaithful(inner, [...path, key]);
  }
}

/** The field by name, as long as its name is a plain word: what a caller made up is not said back. */
const placeOf = (path: readonly string[]): string =>
  path.length > 0 && path.every((key) => /^\w{1,40}$/.test(key)) ? path.join(".") : "the body";

/** Walks the tokens of a text that JSON.parse has accepted, with one set of keys for each open object. */
function assertUniqueKeys(text: string): void {
  const open: (Set<string> | null)[] = []; // null: an array
  let expectsKey = false;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g)) {
    const keys = open.at(-1);
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(null);
    else if (token === "}" || token === "]") open.pop();
    else if (token.startsWith('"') && expectsKey && keys) {
      const key = JSON.parse(token) as string;
      if (keys.has(key)) throw new StrictJsonError("the body gives a field twice");
      keys.add(key);
    }
    expectsKey = token === "{" || (token === "," && open.at(-1) !== null);
  }
}
