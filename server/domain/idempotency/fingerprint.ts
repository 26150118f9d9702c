import { canonicalJson, type DigestRing, keyedDigest } from "@/server/canonical-hash";

/** What makes two calls the same command. Tenant, clinic and caller are part of the key's scope already, so they are left out here. */
export type FingerprintInput = {
  method: string;
  /** Name of the operation, the same for every address that reaches it. */
  operation: string;
  pathParams: Record<string, string>;
  /** The version that the caller read, or null where the operation takes none. */
  ifMatch: string | null;
  /** The JSON as parsed, before defaults: a default added in a later release must not make an old retry a new command. */
  body: unknown;
};

export type Fingerprint = { digest: string; version: number; keyId: string };
type Framings = Readonly<Record<number, (input: FingerprintInput) => (string | null)[]>>;

/** Older framings stay: rows made by them live as long as a key does. */
const framings: Framings = {
  1: ({ method, operation, pathParams, ifMatch, body }) => [method, operation, canonicalJson(pathParams), ifMatch, canonicalJson(body)],
};
const CURRENT = 1;

/** HMAC-SHA-256 over the framed parts, with the version of the framing and the id of the key, which are stored beside it. */
export function fingerprint(ring: DigestRing, input: FingerprintInput, version = CURRENT, known = framings): Fingerprint {
  const frame = known[version];
  if (!frame) throw new Error(`no framing of version ${version}`);
  return { ...keyedDigest(ring, `fp:v${version}`, frame(input)), version };
}

/**
 * Compares a call with a stored fingerprint by the version and key that made the stored one.
 * UNREADABLE: a newer process made it during a rolling release, or its key has left the ring; neither same nor other may be claimed then.
 */
export function compareFingerprint(
  ring: DigestRing,
  input: FingerprintInput,
  stored: Fingerprint,
  known = framings,
): "SAME" | "OTHER" | "UNREADABLE" {
  const frame = known[stored.version];
  if (!frame || !ring.keys.has(stored.keyId)) return "UNREADABLE";
  return keyedDigest(ring, `fp:v${stored.version}`, frame(input), stored.keyId).digest === stored.digest ? "SAME" : "OTHER";
}
