import { createLoader, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { AuditFilter } from "@/server/domain/operations/audit-types";

const results = ["DONE", "REFUSED", "NO_CHANGE", "STALE_REJECTED"] as const;
const roles = ["FRONT_DESK", "STAFF", "APPOINTMENT_REPLAY_OPERATOR", "POLICY_AUTHOR", "POLICY_APPROVER", "ADMIN"] as const;
/** Who acted: everybody, people, or all but workers. */
export const actorChoices = ["people", "outside", "workers"] as const;

const day = parseAsString;
export const auditParsers = {
  clinic: parseAsString,
  q: parseAsString.withDefault(""),
  act: parseAsString,
  result: parseAsStringLiteral(results),
  role: parseAsStringLiteral(roles),
  actor: parseAsStringLiteral(actorChoices),
  from: day,
  until: day,
  of: parseAsString,
  entry: parseAsString,
};
export const loadAuditUrl = createLoader(auditParsers);
export type AuditUrl = Awaited<ReturnType<typeof loadAuditUrl>>;
export { results as auditResultChoices, roles as auditRoleChoices };

const kinds: Record<(typeof actorChoices)[number], AuditFilter["actorKinds"]> = {
  people: ["person"],
  outside: ["token", "command-line"],
  workers: ["worker"],
};
const isDay = (text: string | null): text is string => text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
const isUuid = (text: string | null): text is string => text !== null && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** What the audit is asked for; the same on the server and in the browser. What is no day or no id in the address is left out. */
export function auditInput(url: Omit<AuditUrl, "entry">): { clinic?: string; filter: AuditFilter } {
  return {
    clinic: url.clinic ?? undefined,
    filter: {
      acts: url.act ? [url.act.slice(0, 100)] : [],
      results: url.result ? [url.result] : [],
      role: url.role ?? undefined,
      actorKinds: url.actor ? kinds[url.actor] : [],
      from: isDay(url.from) ? url.from : undefined,
      until: isDay(url.until) ? url.until : undefined,
      search: url.q.trim().slice(0, 200) || undefined,
      of: isUuid(url.of) ? url.of.toLowerCase() : undefined,
    },
  };
}

/** The filters only: what "Clear filters" takes away. */
export const noFilter = { q: "", act: null, result: null, role: null, actor: null, from: null, until: null, of: null } as const;
export const isFiltered = (url: AuditUrl): boolean =>
  (Object.keys(noFilter) as (keyof typeof noFilter)[]).some((name) => (url[name] ?? "") !== "");
