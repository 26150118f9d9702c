/** Calls that wait for the owner of their key. They hold no connection, but each holds a request: beyond the limits a call is sent away at once. */
export class Waiters {
  private readonly byKey = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly perKeyMax = 8,
    private readonly perProcessMax = 64,
  ) {}

  get count(): number {
    return this.total;
  }

  /** False when there is no place; every true is followed by one `leave`. */
  enter(key: string): boolean {
    const here = this.byKey.get(key) ?? 0;
    if (here >= this.perKeyMax || this.total >= this.perProcessMax) return false;
    this.byKey.set(key, here + 1);
    this.total += 1;
    return true;
  }

  leave(key: string): void {
    const left = (this.byKey.get(key) ?? 1) - 1;
    if (left > 0) this.byKey.set(key, left);
    else this.byKey.delete(key);
    this.total -= 1;
  }
}

/** Where a call waits: its key with the scope of the key. */
export const waiterPlace = (...scopeAndKey: [tenantGroupId: string, clinicId: string, caller: string, key: string]): string =>
  JSON.stringify(scopeAndKey);

const processWide = globalThis as { appointmentOperationsWaiters?: Waiters };

/** One count for the process, also where a bundler has made two copies of this module. */
export function processWaiters(): Waiters {
  processWide.appointmentOperationsWaiters ??= new Waiters();
  return processWide.appointmentOperationsWaiters;
}
