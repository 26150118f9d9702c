export type TxErrorCode =
  | "NESTED"
  | "NO_TRANSACTION"
  | "BAD_SETTING"
  | "WRONG_ISOLATION"
  | "LATE_STATEMENT"
  | "OUT_OF_TURN"
  | "UNAWAITED_STATEMENT"
  | "DEADLINE" // before COMMIT was sent: nothing was committed
  | "CONNECTION_LOST" // before COMMIT was sent: nothing was committed
  | "COMMIT_UNKNOWN"; // ask the database under the same key

/** A fault of the transaction itself, never of the business. */
export class TxError extends Error {
  readonly name = "TxError";
  constructor(
    readonly code: TxErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

export type DatabaseError = { code: string; severity: string; constraint?: string; routine?: string; detail?: string };

/** The server's own error, wherever drizzle, a savepoint or an AggregateError put it. EPIPE looks like a SQLSTATE, hence `severity`. */
export function databaseError(error: unknown, depth = 0): DatabaseError | undefined {
  if (typeof error !== "object" || error === null || depth > 8) return undefined;
  const e = error as Record<string, unknown>;
  if (typeof e.code === "string" && typeof e.severity === "string") {
    return {
      code: e.code,
      severity: e.severity,
      constraint: (e.constraint_name ?? e.constraint) as string | undefined,
      routine: e.routine as string | undefined,
      detail: e.detail as string | undefined,
    };
  }
  for (const inner of [e.cause, e.error, ...(Array.isArray(e.errors) ? e.errors : [])]) {
    const found = databaseError(inner, depth + 1);
    if (found) return found;
  }
  return undefined;
}

export const sqlstate = (error: unknown) => databaseError(error)?.code;

/** Unique keys whose violation means "start again": a rival took the idempotency key or brought the same new patient, or a random short reference was already given. */
const restartOn = /^idempotency_keys_pkey$|^patients_external_key$|_ref_key$/;

/** True when the whole attempt must run again from a fresh snapshot. */
export function needsRestart(error: unknown): boolean {
  const found = databaseError(error);
  switch (found?.code) {
    case "40001":
    case "40P01":
      return true;
    case "23505":
      return restartOn.test(found.constraint ?? "");
    case "0A000": // a migration changed the result type of a prepared statement; the driver has dropped it and prepares it anew
      return found.routine === "RevalidateCachedQuery";
    default:
      return false;
  }
}

const lossCodes = /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ERR_STREAM|ENOTFOUND|EAI_AGAIN)/;

/** FATAL ends the session; everything else here is an error of the socket, not of the server. */
export function isConnectionLoss(error: unknown, depth = 0): boolean {
  if (typeof error !== "object" || error === null || depth > 8) return false;
  const e = error as { code?: unknown; cause?: unknown; severity?: unknown };
  if (e.severity === "FATAL" || e.severity === "PANIC") return true;
  if (typeof e.code === "string" && e.severity === undefined && lossCodes.test(e.code)) return true;
  return isConnectionLoss(e.cause, depth + 1);
}

/** True when the database could not be asked or did not answer in time: the caller may try the same command again, nothing else is known. */
export function isDatabaseOutage(error: unknown): boolean {
  if (error instanceof TxError) return ["DEADLINE", "CONNECTION_LOST", "COMMIT_UNKNOWN"].includes(error.code);
  if (isConnectionLoss(error)) return true;
  return ["40001", "40P01", "57014", "55P03", "25P03", "25P04", "57P01", "57P02", "57P03", "53300", "53200", "53100"].includes(
    sqlstate(error) ?? "",
  );
}
