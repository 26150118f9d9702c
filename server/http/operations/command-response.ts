import type { CommandAnswer } from "@/server/domain/idempotency/types";

/** A command's answer as it is stored: the same bytes at first and in every replay, which alone says `Idempotent-Replayed`. */
export function commandResponse(answer: CommandAnswer): Response {
  const headers = new Headers({
    "content-type": answer.status < 400 ? "application/json" : "application/problem+json",
    "idempotency-key-expires": answer.expiresAt,
  });
  if (answer.location) headers.set("location", answer.location);
  if (answer.etag) headers.set("etag", answer.etag);
  if (answer.replayed) headers.set("idempotent-replayed", "true");
  return new Response(answer.body, { status: answer.status, headers });
}
