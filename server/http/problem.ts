import { type AppError, problemBody } from "@/server/app-error";

export { problemBody };

/** An error answer (application/problem+json). `instance` names the call, so that a person can quote it. */
export function problemResponse(error: AppError, requestId: string, status = error.status): Response {
  const headers = new Headers({ "content-type": "application/problem+json" });
  if (error.retryAfterSeconds !== undefined) headers.set("retry-after", String(error.retryAfterSeconds));
  if (status === 401) headers.set("www-authenticate", 'Bearer realm="appointment-operations"');
  const body = { ...problemBody(error, status), instance: `urn:request:${requestId}`, requestId };
  return new Response(JSON.stringify(body), { status, headers });
}
