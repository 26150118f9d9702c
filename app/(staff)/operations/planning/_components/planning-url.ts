import { createLoader, createParser, parseAsArrayOf, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { type KeptFilter, sameBy } from "@/app/_components/list/same-filter";
import { addDays } from "@/app/_components/time";
import type { NamedDays, PlanningDays, PlanningFilter, PlanningTile } from "@/server/domain/operations/planning-types";

/** Order of the tiles, and of the keys 1 to 3. */
export const tileOrder = ["APPLIED", "STALE_REJECTED", "DEGRADED"] as const satisfies readonly PlanningTile[];
export const views = ["all", "decision"] as const;
/** Days that move with the clinic's clock, so that a view or a link means them tomorrow too. */
export const namedDays = ["today", "7d"] as const satisfies readonly NamedDays[];

const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && addDays(text, 0) === text;

/** Days as the address writes them: a name, or "2026-12-01..2026-12-04"; null: any. */
export function daysOf(text: string | null): PlanningDays | null {
  const [from = "", until = "", more] = text?.split("..") ?? [];
  if (more === undefined && isDate(from) && isDate(until) && from <= until) return { from, until };
  return namedDays.find((name) => name === text) ?? null;
}

const parseAsDays = createParser({ parse: (text) => (daysOf(text) ? text : null), serialize: String });

export const planningParsers = {
  clinic: parseAsString,
  view: parseAsStringLiteral(views).withDefault("all"),
  state: parseAsArrayOf(parseAsStringLiteral(tileOrder)).withDefault([]),
  days: parseAsDays,
  q: parseAsString.withDefault(""),
  row: parseAsString,
};
export const loadPlanningUrl = createLoader(planningParsers);
export type PlanningUrl = Awaited<ReturnType<typeof loadPlanningUrl>>;
export type PlanningInput = { clinic?: string; filter: PlanningFilter };
type Filters = Omit<PlanningUrl, "clinic" | "row">;

/** What the queue is asked for; the same on the server and in the browser, so the first page is not read twice. */
export function planningInput(url: Omit<PlanningUrl, "row">): PlanningInput {
  return {
    clinic: url.clinic ?? undefined,
    filter: {
      tiles: url.state,
      decisionOnly: url.view === "decision",
      days: daysOf(url.days) ?? undefined,
      search: url.q.trim().slice(0, 200) || undefined,
    },
  };
}

/** What a saved view keeps of the address: what filters, and neither the clinic nor the open row. */
export function filterOfUrl({ view, state, days, q }: Filters): KeptFilter {
  const kept = { ...(view === "all" ? {} : { view }), ...(state.length > 0 ? { state: [...state].sort() } : {}) };
  return { ...kept, ...(days ? { days } : {}), ...(q ? { q } : {}) };
}

/** The address that a saved view leads to; what this release does not know of it is left out. Of no filter: what "Clear filters" does. */
export function urlOfFilter(filter: Record<string, unknown>): Filters {
  const states = Array.isArray(filter.state) ? filter.state : [];
  return {
    view: views.find((view) => view === filter.view) ?? "all",
    state: tileOrder.filter((tile) => states.includes(tile)),
    days: typeof filter.days === "string" && daysOf(filter.days) ? filter.days : null,
    q: typeof filter.q === "string" ? filter.q : "",
  };
}

export const sameFilter = sameBy((filter) => filterOfUrl(urlOfFilter(filter)));
export const isFiltered = (url: Filters): boolean => !sameFilter(filterOfUrl(url), {});
/** The counts are of the whole queue: they say nothing of a part of it. */
export const isPart = ({ state, days, q }: Filters): boolean => state.length > 0 || days !== null || q.trim() !== "";
