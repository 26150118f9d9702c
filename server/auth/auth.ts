import NextAuth, { CredentialsSignin } from "next-auth";
import Credentials from "next-auth/providers/credentials";
import { z } from "zod";
import { clientAddress } from "@/server/http/client-address";
import { faultOf } from "@/server/http/fault-of";
import { webRateLimits } from "@/server/http/rate-limits";
import { webDb } from "@/server/http/web-db";
import { logger } from "@/server/logger";
import { authConfig } from "./auth-config";
import { auditSession, verifySignIn } from "./verify-sign-in";

/** Carries to the sign-in form when to come back. */
export class SignInThrottled extends CredentialsSignin {
  code = "throttled";
  constructor(readonly retryAfterSeconds: number) {
    super();
  }
}

const typed = z.object({ email: z.string().min(1).max(254), password: z.string().min(1).max(200) });

/** Sign-in with a password; another provider (OIDC) would be one more entry of `providers`. Every way to sign in or out passes here. */
export const { handlers, auth, signIn, signOut } = NextAuth({
  ...authConfig,
  providers: [
    Credentials({
      credentials: { email: {}, password: {} },
      async authorize(input, request) {
        const parsed = typed.safeParse(input);
        if (!parsed.success) return null;
        const end = await verifySignIn(webDb(), webRateLimits(), { ...parsed.data, address: clientAddress(request.headers) });
        if (end.outcome === "THROTTLED") throw new SignInThrottled(end.retryAfterSeconds);
        return end.outcome === "SIGNED_IN" ? { id: end.user.userId, tenantGroupId: end.user.tenantGroupId } : null;
      },
    }),
  ],
  events: {
    async signOut(message) {
      const token = "token" in message ? message.token : null;
      if (!token?.sub || !token.tenantGroupId) return;
      const user = { userId: token.sub, tenantGroupId: token.tenantGroupId };
      // leaving must work while the database is away
      await auditSession(webDb(), user, "session.signed-out").catch((err) => logger.error({ err: faultOf(err) }, "sign-out not audited"));
    },
  },
});
