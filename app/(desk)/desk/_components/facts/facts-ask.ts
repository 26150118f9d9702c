import type { FactKind } from "@/server/domain/clinics/fact-types";

/** What the desk asked for in a column's menu: the list of what holds there, or a form for something new. */
export type FactsAsk = { columnId: string; form: FactKind | "hours" | "clinicHours" | null };
