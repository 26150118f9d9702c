import { randomFillSync, randomInt } from "node:crypto";

/** Crockford's base 32: no I, L, O, U, so that a reference survives being read over the phone. */
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export type RefPrefix = "TG" | "CL" | "D" | "EQ" | "RM" | "TR" | "PT" | "APT" | "ST" | "AC" | "MF" | "RJ" | "RF" | "DR" | "SY" | "SOL";

/** A short reference such as `APT-7F3K2M`: 30 random bits. A collision is refused by its unique key and withTx runs again with another. */
export function newRef(prefix: RefPrefix): string {
  const characters = Array.from({ length: 6 }, () => crockford[randomInt(32)]);
  return `${prefix}-${characters.join("")}`;
}

/** Random bytes are asked for 4 KiB at a time: a call for each id costs several times the rest of it. */
const pool = Buffer.alloc(4_096);
let poolUsed = pool.length;

/** UUID version 7 (RFC 9562): 48 bits of Unix milliseconds, then random. */
export function newUuid(nowMs = Date.now()): string {
  if (poolUsed + 16 > pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  const bytes = pool.subarray(poolUsed, poolUsed + 16);
  poolUsed += 16;
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Canonical lower-case form only: one identity has one spelling. */
export const isUuid = (text: string): boolean => uuid.test(text);
