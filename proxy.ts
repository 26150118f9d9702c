import { protectPages } from "@/server/auth/protect-pages";

export default protectPages;

// Not the APIs (they answer problems, not a sign-in page), not files. `appointments` is the API's short address.
export const config = {
  matcher: ["/((?!api(?:/|$)|appointments(?:/|$)|_next/static|_next/image|icon\\.svg|icons\\.svg|favicon\\.ico).*)"],
};
