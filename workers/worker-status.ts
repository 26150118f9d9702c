import type { Clock } from "@/server/clock";
import type { Beat, WorkerState } from "@/server/domain/leases/heartbeat";

/** Without progress for this long, and two polls, a worker counts as stuck: several times the longest bounded piece of work. */
const stuckAfterMs = 60_000;

/** What one worker of this process is doing: read by its health page and its heartbeat. Being alive means making progress, not being a process. */
export class WorkerStatus {
  private state: WorkerState = "RUNNING";
  private outage: string | undefined;
  private lastProgressMs: number;
  /** How long the worker waits when there is nothing to do. */
  pollMs = 0;
  private readonly totals: Record<string, number> = {};

  constructor(
    readonly role: string,
    readonly workerId: string,
    private readonly clock: Pick<Clock, "monotonicMs">,
  ) {
    this.lastProgressMs = clock.monotonicMs();
  }

  /** A piece of work ended, or the worker looked and found nothing. */
  progress(counts: Record<string, number> = {}) {
    this.alive();
    this.state = "RUNNING";
    this.outage = undefined;
    for (const [name, count] of Object.entries(counts)) if (count > 0) this.totals[name] = (this.totals[name] ?? 0) + count;
  }

  /** It lives and waits for something that is away. */
  pause(outage: string) {
    this.alive();
    this.state = "PAUSED";
    this.outage = outage;
  }

  /** In the middle of a long piece of work. */
  alive() {
    this.lastProgressMs = this.clock.monotonicMs();
  }

  stop() {
    this.state = "STOPPED";
  }

  get isStuck(): boolean {
    return this.silentMs > stuckAfterMs + 2 * this.pollMs;
  }

  get isReady(): boolean {
    return this.state === "RUNNING" && !this.isStuck;
  }

  get silentMs(): number {
    return this.clock.monotonicMs() - this.lastProgressMs;
  }

  toBeat(): Beat {
    const details: Record<string, string | number> = { ...this.totals, ...(this.outage ? { outage: this.outage } : {}) };
    return { workerId: this.workerId, role: this.role, state: this.state, details };
  }
}
