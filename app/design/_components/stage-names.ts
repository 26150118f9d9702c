/** What floats, takes the focus or fills a page is drawn one at a time, under /design?open=<name>. */
export const stageNames = [
  "menu",
  "menu-scope",
  "menu-account",
  "menu-facts",
  "dialog",
  "dialog-keys",
  "find",
  "find-found",
  "find-reading",
  "find-failed",
  "find-none",
  "booking-missing",
  "booking-refused",
  "booking-unanswered",
  "evidence-reading",
  "evidence-failed",
  "evidence-gone",
  "no-right",
  "sheet",
  "day-failed",
] as const;
export type StageName = (typeof stageNames)[number];

export const isStage = (name: unknown): name is StageName => stageNames.includes(name as StageName);
