import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Db } from "@/db/client";
import { AppError } from "@/server/app-error";
import { type DigestRing, keyedDigest } from "@/server/canonical-hash";
import { webEnv } from "@/server/env";
import { webDb } from "./web-db";

/**
 * Limits of one web process, counted in table rate_limits for all processes together. While the database is away each process counts in memory.
 * `consume` takes one point and throws AppError rate-limited (429, Retry-After in seconds) when there is none left.
 */
export type RateLimit = {
  consume(key: string): Promise<void>;
  /** Returns the one point that a right attempt took. */
  giveBack(key: string): Promise<void>;
  forgive(key: string): Promise<void>;
};
export type RateLimits = {
  /** Calls of one API token; by token id. */
  token: RateLimit;
  /** Tokens that nobody knows, by address: they are guesses. */
  unknownToken: RateLimit;
  /** Attempts to sign in to one account, known or not; by e-mail address. Forgiven when one succeeds. */
  account: RateLimit;
  /** Attempts to sign in from one address; a right one gives its point back, for a whole clinic may share an address. */
  address: RateLimit;
};

/** @param options.ring its active key hides what is counted; all web processes have the same, or each counts for itself */
export function createRateLimits(db: Db, options: { tokenPerMinute: number; ring: DigestRing }): RateLimits {
  const limit = (keyPrefix: string, points: number, duration: number) => rateLimit(db, options.ring, { keyPrefix, points, duration });
  return {
    token: limit("token", options.tokenPerMinute, 60),
    unknownToken: limit("unknown-token", 60, 60),
    account: limit("account", 10, 15 * 60),
    address: limit("address", 100, 15 * 60),
  };
}

const kept = globalThis as { appointmentOperationsRateLimits?: RateLimits };

/** The limits of this process. */
export function webRateLimits(): RateLimits {
  const { RATE_LIMIT_PER_MINUTE: tokenPerMinute, DIGEST_KEYS: ring } = webEnv();
  kept.appointmentOperationsRateLimits ??= createRateLimits(webDb(), { tokenPerMinute, ring });
  return kept.appointmentOperationsRateLimits;
}

function rateLimit(db: Db, ring: DigestRing, options: { keyPrefix: string; points: number; duration: number }): RateLimit {
  const limiter = new RateLimiterPostgres({
    ...options,
    storeClient: asPgClient(db),
    storeType: "client",
    tableName: "rate_limits",
    tableCreated: true, // by a migration
    inMemoryBlockOnConsumed: options.points + 1, // who is over the limit costs no statement
    insuranceLimiter: new RateLimiterMemory(options),
  });
  const opaque = (key: string): string => opaqueKey(ring, options.keyPrefix, key);
  return {
    async consume(key) {
      try {
        await limiter.consume(opaque(key));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw new AppError("rate-limited", undefined, {}, Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
      }
    },
    async giveBack(key) {
      await limiter.reward(opaque(key), 1);
    },
    async forgive(key) {
      await limiter.delete(opaque(key));
    },
  };
}

/**
 * Whoever reads the database may read these rows. Keyed, because a plain digest hides no address: all of IPv4 is hashed in minutes, and mail addresses
 * are tried from a list. Another active key begins new windows: what was counted before is forgotten.
 */
const opaqueKey = (ring: DigestRing, kind: string, key: string): string => keyedDigest(ring, "rate-limit", [kind, key]).digest.slice(0, 32);

/** The library speaks to the `pg` driver; its one-row upserts run here outside the transaction door, on the table that has no tenant. */
function asPgClient(db: Db) {
  return {
    query: async ({ text, values = [] }: { text: string; values?: never[] }) => {
      const rows = await db.$client.unsafe(text, values, { prepare: db.$client.options.prepare !== false });
      return { rows, rowCount: rows.count };
    },
  };
}
