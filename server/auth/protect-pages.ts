import { randomBytes } from "node:crypto";
import { NextResponse } from "next/server";
import NextAuth from "next-auth";
import { authConfig } from "./auth-config";
import { contentSecurityPolicy } from "./content-security-policy";

const { auth } = NextAuth(authConfig);

/**
 * What proxy.ts does for every page: a policy with a nonce of its own for each answer, and a short way to the sign-in. It is a convenience and a second
 * fence; pages, procedures and row-level security refuse by themselves, and must do so when this file is gone.
 */
export const protectPages = auth((request) => {
  const { pathname, search, origin } = request.nextUrl;
  const isTls = ownOrigin(origin).startsWith("https:");
  if (!request.auth && /^\/(desk|operations)(\/|$)/.test(pathname)) {
    const signIn = new URL("/sign-in", ownOrigin(origin));
    signIn.searchParams.set("callbackUrl", pathname + search);
    return secured(NextResponse.redirect(signIn), isTls);
  }
  const policy = contentSecurityPolicy(randomBytes(16).toString("base64"), isTls);
  const headers = new Headers(request.headers);
  headers.set("content-security-policy", policy); // Next reads the nonce for its own scripts from here
  const response = secured(NextResponse.next({ request: { headers } }), isTls);
  response.headers.set("content-security-policy", policy);
  return response;
});

const ownOrigin = (seen: string): string => process.env.AUTH_URL || seen;

function secured(response: NextResponse, isTls: boolean): NextResponse {
  response.headers.set("cache-control", "no-store");
  if (isTls) response.headers.set("strict-transport-security", "max-age=31536000; includeSubDomains");
  return response;
}
