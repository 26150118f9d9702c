import type { DefaultSession } from "next-auth";

declare module "next-auth" {
  interface User {
    tenantGroupId: string;
  }
  interface Session extends DefaultSession {
    user: { id: string; tenantGroupId: string };
  }
}

declare module "@auth/core/jwt" {
  interface JWT {
    tenantGroupId?: string;
  }
}
