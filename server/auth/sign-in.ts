import { headers } from "next/headers";
import { AuthError } from "next-auth";
import { webEnv } from "@/server/env";
import { assertOwnForm } from "@/server/http/assert-own-origin";
import { SignInThrottled, signIn, signOut } from "./auth";

/**
 * For the server action of the sign-in form: sets the session cookie when the password is right. Redirecting is the caller's.
 * Needs a server action or route handler, where cookies can be set.
 */
export async function signInWithPassword(typed: {
  email: string;
  password: string;
}): Promise<{ outcome: "SIGNED_IN" | "REFUSED" } | { outcome: "THROTTLED"; retryAfterSeconds: number }> {
  await assertFormIsOurs();
  try {
    await signIn("credentials", { ...typed, redirect: false });
    return { outcome: "SIGNED_IN" };
  } catch (error) {
    if (error instanceof SignInThrottled) return { outcome: "THROTTLED", retryAfterSeconds: error.retryAfterSeconds };
    if (error instanceof AuthError && error.type === "CredentialsSignin") return { outcome: "REFUSED" };
    throw error;
  }
}

/** For the server action behind "Sign out": removes the session cookie and leaves an audit entry. */
export async function signOutHere(): Promise<void> {
  await assertFormIsOurs();
  await signOut({ redirect: false });
}

/** Next lets a request without Origin pass with a warning only, and believes X-Forwarded-Host. */
async function assertFormIsOurs(): Promise<void> {
  assertOwnForm(await headers(), webEnv().AUTH_URL);
}
