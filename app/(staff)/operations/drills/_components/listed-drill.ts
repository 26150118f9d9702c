import type { inferProcedureOutput } from "@trpc/server";
import type { AppRouter } from "@/server/trpc/root";

/** A drill with its last run, and what the reader may do about it. */
export type ListedDrill = inferProcedureOutput<AppRouter["drills"]["list"]>["drills"][number];

export const isUnderWay = ({ run }: Pick<ListedDrill, "run">): boolean => run?.state === "REQUESTED" || run?.state === "RUNNING";
