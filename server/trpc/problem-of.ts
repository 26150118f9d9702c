import type { TRPCError } from "@trpc/server";
import type { TRPC_ERROR_CODE_KEY } from "@trpc/server/rpc";
import { AppError, type ProblemCode, problemBody } from "@/server/app-error";
import { toAppError } from "@/server/http/to-app-error";

export type ShownProblem = {
  code: ProblemCode;
  title: string;
  status: number;
  whatToDo: string;
  retryable: boolean;
  detail?: string;
  retryAfterSeconds?: number;
  requestId?: string;
  /** Facts of the refusal, e.g. `right`, `blockers`, `errors`. */
  [fact: string]: unknown;
};

/** What a screen gets of any error of a procedure: the same members as a problem of the HTTP API. */
export function problemOf(error: TRPCError, requestId: string | undefined): ShownProblem {
  const known = error.cause ? toAppError(error.cause) : new AppError(ownCodes[error.code] ?? "internal-error");
  return { ...problemBody(known), ...(requestId ? { requestId } : {}) } as ShownProblem;
}

/** Refusals that tRPC makes by itself, before any procedure runs. */
const ownCodes: Partial<Record<TRPC_ERROR_CODE_KEY, ProblemCode>> = {
  PARSE_ERROR: "json-invalid",
  BAD_REQUEST: "request-invalid",
  NOT_FOUND: "not-found",
  METHOD_NOT_SUPPORTED: "method-not-allowed",
  UNSUPPORTED_MEDIA_TYPE: "media-type-unsupported",
  PAYLOAD_TOO_LARGE: "body-too-large",
};

const codes: Record<number, TRPC_ERROR_CODE_KEY> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_SUPPORTED",
  408: "TIMEOUT",
  409: "CONFLICT",
  412: "PRECONDITION_FAILED",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE_CONTENT",
  428: "PRECONDITION_REQUIRED",
  429: "TOO_MANY_REQUESTS",
  503: "SERVICE_UNAVAILABLE",
};

/** tRPC's name for an HTTP status. */
export const trpcCode = (status: number): TRPC_ERROR_CODE_KEY => codes[status] ?? "INTERNAL_SERVER_ERROR";
