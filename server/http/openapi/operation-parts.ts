// What the lists of operations share.
import { z } from "zod";
import type { ProblemCode } from "@/server/app-error";
import { uuid } from "@/server/domain/appointments/types";
import type { TokenCommand } from "@/server/domain/scope/actor";

export type ApiOperation = {
  operationId: string;
  method: "get" | "post" | "put";
  path: string;
  summary: string;
  right: TokenCommand;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  answer: z.ZodType;
  status: 200 | 201;
  /** Beside those that every operation may give. */
  problems: readonly ProblemCode[];
  /** Takes an Idempotency-Key. */
  keyed?: true;
  /** Takes If-Match. */
  versioned?: true;
  /** Answers with an ETag. */
  tagged?: true;
};

export const clinicPath = z.object({ clinicId: uuid });
export const clinic = "/api/v1/clinics/{clinicId}";

export const everyProblem = ["signed-out", "right-missing", "rate-limited", "internal-error", "database-unavailable"] as const;
export const ofBody = ["request-invalid", "json-invalid", "request-timeout", "body-too-large", "media-type-unsupported"] as const;
export const ofKey = [
  "idempotency-key-required",
  "idempotency-key-invalid",
  "idempotency-key-reused",
  "idempotency-in-progress",
  "idempotency-overloaded",
  "contention",
  "fingerprint-unreadable",
  "outcome-unknown",
] as const;
