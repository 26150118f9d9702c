/** Styles may be inline: dialogs lock scrolling with a style element of their own. Scripts may not. */
export function contentSecurityPolicy(nonce: string, isTls: boolean, isDev = process.env.NODE_ENV === "development"): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDev ? " 'unsafe-eval'" : ""}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${isDev ? " ws:" : ""}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(isTls ? ["upgrade-insecure-requests"] : []),
  ].join("; ");
}
