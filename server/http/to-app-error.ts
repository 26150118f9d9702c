import { ZodError } from "zod";
import { isDatabaseOutage, sqlstate, TxError } from "@/db/tx-error";
import { AppError } from "@/server/app-error";
import { StrictJsonError } from "@/server/canonical-hash";

/**
 * Any error as one with a stable code. A refused input, an outage and a lost COMMIT are three different things to a caller: correct it, wait,
 * ask again under the same key. Everything nobody planned is `internal-error`; its own message never leaves the process.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof ZodError) return invalidInput(error);
  if (error instanceof StrictJsonError) return new AppError("json-invalid", error.message);
  if (error instanceof TxError && error.code === "COMMIT_UNKNOWN") return new AppError("outcome-unknown", undefined, {}, 1);
  if (isDatabaseOutage(error)) return new AppError("database-unavailable", undefined, {}, 1);
  if (sqlstate(error)?.startsWith("22")) return new AppError("request-invalid", "A value has a form that cannot be stored.");
  return new AppError("internal-error");
}

/** Where the input is wrong and how; never the value that was sent. At most 20 places. */
export function invalidInput(error: ZodError): AppError {
  const errors = error.issues
    .slice(0, 20)
    .map((issue) => ({ path: issue.path.map(String).join("."), code: issue.code, message: messageOf(issue) }));
  return new AppError("request-invalid", undefined, { errors });
}

/** zod quotes a field that it does not know: one whose name is a plain word may be a slip, anything else is what the caller made up. */
function messageOf(issue: ZodError["issues"][number]): string {
  if (issue.code !== "unrecognized_keys") return issue.message;
  const plain = issue.keys.filter((key) => /^\w{1,40}$/.test(key));
  return plain.length > 0 ? `Unknown field: ${plain.slice(0, 5).join(", ")}.` : "Holds a field that is not known.";
}
