/** Where to go after sign-in: a path of this site, never another site (`//host`, `/\host`, a full URL of someone else). */
export function safePath(wished: string): string {
  const path = wished.replace(/^https?:\/\/[^/]+(?=\/|$)/, "") || "/";
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !path.startsWith("/sign-in") ? path : "/";
}
