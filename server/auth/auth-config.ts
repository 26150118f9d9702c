import type { NextAuthConfig } from "next-auth";
import { faultOf } from "@/server/http/fault-of";
import { logger } from "@/server/logger";

/** What proxy.ts and the sign-in share; it loads no database. The session names a user and nothing that could go stale: roles are read per request. */
export const authConfig = {
  trustHost: true,
  pages: { signIn: "/sign-in" },
  session: { strategy: "jwt", maxAge: 8 * 3600 }, // seconds: one working day
  providers: [],
  callbacks: {
    jwt({ token, user }) {
      if (user?.id) return { ...token, name: undefined, email: undefined, sub: user.id, tenantGroupId: user.tenantGroupId };
      return token;
    },
    session({ session, token }) {
      const expires = token.exp ? new Date(token.exp * 1000).toISOString() : session.expires; // of the cookie that came, not of the next one
      return { expires, user: { id: token.sub as string, tenantGroupId: token.tenantGroupId as string } };
    },
  },
  logger: {
    // a wrong password is an answer, not an error; messages may hold what was typed
    error: (error) =>
      kindOf(error) !== "CredentialsSignin" && logger.error({ code: kindOf(error), err: faultOf(causeOf(error)) }, "sign-in failed"),
    warn: (code) => logger.warn({ code }, "sign-in"),
    debug: () => {},
  },
} satisfies NextAuthConfig;

/** Auth.js wraps what a callback threw. */
const causeOf = (error: Error): unknown => (error.cause as { err?: unknown } | undefined)?.err ?? error;

/** `type` is text; `name` is the class's, and the build shortens that to two letters. */
const kindOf = (error: Error): string => ("type" in error ? String(error.type) : error.name);
