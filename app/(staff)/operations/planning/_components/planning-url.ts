import { createLoader, parseAsArrayOf, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { PlanningFilter, PlanningTile } from "@/server/domain/operations/planning-types";

/** Order of the tiles, and of the keys 1 to 3. */
export const tileOrder = ["APPLIED", "STALE_REJECTED", "DEGRADED"] as const satisfies readonly PlanningTile[];
export const views = ["all", "decision"] as const;

export const planningParsers = {
  clinic: parseAsString,
  view: parseAsStringLiteral(views).withDefault("all"),
  state: parseAsArrayOf(parseAsStringLiteral(tileOrder)).withDefault([]),
  q: parseAsString.withDefault(""),
  row: parseAsString,
};
export const loadPlanningUrl = createLoader(planningParsers);
export type PlanningUrl = Awaited<ReturnType<typeof loadPlanningUrl>>;
export type PlanningInput = { clinic?: string; filter: PlanningFilter };

/** What the queue is asked for; the same on the server and in the browser, so the first page is not read twice. */
export function planningInput(url: Omit<PlanningUrl, "row">): PlanningInput {
  return {
    clinic: url.clinic ?? undefined,
    filter: { tiles: url.state, decisionOnly: url.view === "decision", search: url.q.trim().slice(0, 200) || undefined },
  };
}

/** What "Clear filters" takes away. */
export const noFilter = { view: "all", state: [], q: "" } satisfies Partial<PlanningUrl>;
export const isFiltered = (url: PlanningUrl): boolean => url.view !== "all" || url.state.length > 0 || url.q !== "";
