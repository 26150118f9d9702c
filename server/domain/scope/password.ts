import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { testPoint } from "@/server/test-points";

/** OWASP password storage cheat sheet: N = 2^15, r = 8, p = 3; 32 MiB and about a quarter of a second a run. */
const cost = { N: 2 ** 15, r: 8, p: 3 };
const keyBytes = 32;

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url: a later, dearer cost does not lock anybody out. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, cost);
  return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64url"), hash.toString("base64url")].join("$");
}

/**
 * True when the password is the stored one. Without a stored one (nobody has that address) the same work is done in vain, so that the time of an
 * answer does not tell who has an account.
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, N, r, p, salt, hash] = (stored ?? nobodys).split("$");
  const wanted = Buffer.from(hash ?? "", "base64url");
  const got = await derive(password, Buffer.from(salt ?? "", "base64url"), { N: Number(N), r: Number(r), p: Number(p) });
  return wanted.length === keyBytes && timingSafeEqual(got, wanted) && stored !== undefined;
}

/** Of the same cost as a real one; no password leads to it. */
const nobodys = ["scrypt", cost.N, cost.r, cost.p, randomBytes(16).toString("base64url"), randomBytes(keyBytes).toString("base64url")].join(
  "$",
);

async function derive(password: string, salt: Buffer, { N, r, p }: typeof cost): Promise<Buffer> {
  await testPoint("scrypt");
  // NFKC: the same keys on two keyboards may send the same character in two forms
  return new Promise((resolve, reject) =>
    scrypt(password.normalize("NFKC"), salt, keyBytes, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
}
