import { Histogram } from "prom-client";
import { metric } from "@/server/metrics";

/** ok · refused: an answer below 500 that is no success · failed: a fault or an outage */
export type CallOutcome = "ok" | "refused" | "failed";

/** How long a procedure took until its answer was ready. Procedures are those of the router: a closed set. */
export function observeCall(procedure: string, outcome: CallOutcome, seconds: number): void {
  const name = "trpc_call_duration_seconds";
  const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
  const help = "Time until the answer of a procedure was ready.";
  metric(name, (registry) => new Histogram({ name, help, labelNames: ["procedure", "outcome"], buckets, registers: [registry] })).observe(
    { procedure, outcome },
    seconds,
  );
}
