/**
 * Lowest versions without a known, exploitable hole in what this product uses. Raise a floor when an advisory names one; never lower it.
 * next 16.2.6 and react 19.2.6: server component and proxy advisories · @trpc 11.8.0: prototype pollution in form data · next-auth
 * 5.0.0-beta.32: e-mail address parsing · drizzle-orm 0.45.2: escaping of identifiers.
 */
export const SECURITY_FLOORS: Record<string, string> = {
  next: "16.2.6",
  react: "19.2.6",
  "react-dom": "19.2.6",
  "@trpc/server": "11.8.0",
  "@trpc/client": "11.8.0",
  "@trpc/tanstack-react-query": "11.8.0",
  "next-auth": "5.0.0-beta.32",
  "drizzle-orm": "0.45.2",
};

/** Whether `version` is `floor` or later: numbers as numbers, and a pre-release before its release (semver §11). */
export function atLeast(version: string, floor: string): boolean {
  const split = (text: string) => {
    const [numbers = "", ...pre] = text.split("-");
    return { numbers: numbers.split(".").map(Number), pre: pre.join("-") };
  };
  const [have, need] = [split(version), split(floor)];
  for (let i = 0; i < 3; i++) {
    const [a, b] = [have.numbers[i] ?? 0, need.numbers[i] ?? 0];
    if (a !== b) return a > b;
  }
  if (have.pre === "" || need.pre === "") return have.pre === "";
  return have.pre.localeCompare(need.pre, "en", { numeric: true }) >= 0;
}
