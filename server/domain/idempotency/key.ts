import { AppError } from "@/server/app-error";
import type { Actor } from "@/server/domain/scope/actor";

/**
 * Reads an Idempotency-Key: 16 to 255 printable ASCII characters without comma, quote or backslash, bare or as a quoted structured-field string;
 * both forms are one key. A header given twice arrives joined by a comma and is refused with it.
 * Throws AppError idempotency-key-required or -invalid.
 */
export function parseIdempotencyKey(header: string | null | undefined): string {
  if (header === null || header === undefined) throw new AppError("idempotency-key-required");
  const text = header.trim();
  const key = text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  if (!/^[!#-+\--[\]-~]([ !#-+\--[\]-~]{14,253})[!#-+\--[\]-~]$/.test(key)) throw new AppError("idempotency-key-invalid");
  return key;
}

/**
 * Who sends a command again when it is sent again: the API client, whichever of its tokens it uses, or the desk application of a clinic,
 * so that a colleague at the same desk who retries sends the same command.
 */
export function callerOf(actor: Actor, clinicId: string): string {
  switch (actor.kind) {
    case "person":
      return `desk:${clinicId}`;
    case "token":
      return `client:${actor.clientId}`;
    case "worker":
      return `worker:${actor.worker}`;
  }
}
