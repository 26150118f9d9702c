import { randomBytes } from "node:crypto";

const unsampledFlags = "00";

/**
 * The trace context of one command (W3C traceparent): the caller's trace with a span of this call, or a new trace when none, or none of that form,
 * came. It is stored with the event; a consumer links to it instead of continuing it.
 */
export function traceparentOf(headers: Headers): string {
  const [, version, trace, span, flags] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(headers.get("traceparent") ?? "") ?? [];
  const isGiven = version !== "ff" && trace && !/^0+$/.test(trace) && span && !/^0+$/.test(span);
  return `00-${isGiven ? trace : randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-${isGiven ? flags : unsampledFlags}`;
}
