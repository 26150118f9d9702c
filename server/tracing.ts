// Traces of the workers. Only the API of OpenTelemetry: without an SDK in the process every call here does nothing.
import { context, createContextKey, isSpanContextValid, type SpanContext, trace } from "@opentelemetry/api";

/** Tracer of the product; names its spans' scope. */
export const tracer = () => trace.getTracer("appointment-operations");

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** The span that a W3C traceparent names, as one of another process; undefined when it names none. Never throws: it came with a record of the log. */
export function spanContextOf(traceparent: string | undefined): SpanContext | undefined {
  const [, version, traceId = "", spanId = "", flags = ""] = form.exec(traceparent ?? "") ?? [];
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return version && version !== "ff" && isSpanContextValid(found) ? found : undefined;
}

/** The key by which every SDK knows that nothing below is to be traced (@opentelemetry/core, suppressTracing). */
const suppressed = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/**
 * Runs `fn` so that instrumented clients below neither start spans nor write a trace of their own into what they send. The relay publishes so: a record
 * keeps the trace of the command that it announces, whoever carries it.
 */
export const untraced = <T>(fn: () => Promise<T>): Promise<T> => context.with(context.active().setValue(suppressed, true), fn);
