import type { AppError } from "@/server/app-error";

/** Refusals that have their audit entry already, so that an outer layer does not write a second one. */
export const notedRefusals = new WeakSet<AppError>();
