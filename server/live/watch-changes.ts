import { type Db, withRead } from "@/db/client";
import { groupBy } from "@/server/group-by";
import { faultOf } from "@/server/http/fault-of";
import { logger } from "@/server/logger";

/** Something of this kind changed in this clinic: read it again. It says where to look, never what is there. */
export type ChangeHint = { area: "appointments" | "delivery"; clinicId: string; at: string };
export type Watcher = {
  tenantGroupId: string;
  clinicIds: readonly string[];
  onChange: (hint: ChangeHint) => void;
  /** Read everything again: changes are told from now on, or some may have been missed. */
  onAgain: () => void;
};

const pollMs = 1_000;
/** Identities are time-ordered but become visible when their transaction commits: the window is read again, and known ones are left out. */
const windowSeconds = 10;

/** More in one window than this: which clinics changed is not sorted out, all are told. */
const rowsMax = 5_000;

/**
 * One question per second and tenant group for all open streams of this process; none while nobody watches. `onAgain` comes once a watcher is covered
 * by a reading (what it reads after that misses nothing), and after a time without readings that leaves part of the window unread.
 */
export class ChangeWatch {
  private readonly watchers = new Set<Watcher>();
  private readonly uncovered = new WeakSet<Watcher>();
  private readonly known = new Map<string, { ids: Set<string>; atMs: number }>(); // by tenant group: identities of the last window
  private timer: NodeJS.Timeout | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: Db,
    private readonly nowMs = () => performance.now(),
  ) {}

  add(watcher: Watcher): () => void {
    this.watchers.add(watcher);
    this.uncovered.add(watcher);
    this.timer ??= setTimeout(this.tick, pollMs);
    return () => void this.watchers.delete(watcher);
  }

  countOf(tenantGroupId?: string): number {
    return [...this.watchers].filter((watcher) => !tenantGroupId || watcher.tenantGroupId === tenantGroupId).length;
  }

  private readonly tick = async () => {
    await this.pollOnce().catch((error) => logger.warn({ err: faultOf(error) }, "live changes not read")); // the next second asks again
    this.timer = this.watchers.size > 0 ? setTimeout(this.tick, pollMs) : undefined;
    this.timer?.unref();
  };

  /**
   * Reads each watched tenant group once and tells its watchers. The first reading of a group only learns what is already there. Throws the first
   * failure, after every group was tried. One poll at a time: an older reading never overtakes a newer one.
   */
  pollOnce(): Promise<void> {
    this.last = this.last.catch(() => {}).then(() => this.readGroups());
    return this.last;
  }

  private async readGroups(): Promise<void> {
    const groups = groupBy(this.watchers, (watcher) => watcher.tenantGroupId);
    for (const tenantGroupId of this.known.keys()) if (!groups.has(tenantGroupId)) this.known.delete(tenantGroupId);
    const failures: unknown[] = [];
    for (const [tenantGroupId, watchers] of groups)
      await this.readGroup(tenantGroupId, watchers).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  private async readGroup(tenantGroupId: string, watchers: readonly Watcher[]): Promise<void> {
    const atMs = this.nowMs();
    const clinicIds = [...new Set(watchers.flatMap((watcher) => watcher.clinicIds))];
    const rows = await readChanges(this.db, { tenantGroupId, clinicIds });
    const before = this.known.get(tenantGroupId);
    this.known.set(tenantGroupId, { ids: new Set(rows.map((row) => row.id)), atMs });
    // half of the window belongs to identities that commit late
    const missed = rows.length >= rowsMax || (before !== undefined && atMs - before.atMs > windowSeconds * 500);
    const told = watchers.filter((watcher) => this.watchers.has(watcher)); // some left while it was read
    for (const watcher of told) if (this.uncovered.delete(watcher) || missed) watcher.onAgain();
    if (!before || missed) return;
    const fresh = rows.filter((row) => !before.ids.has(row.id));
    const at = new Date().toISOString();
    const places = new Map(fresh.map(({ area, clinicId }) => [`${area} ${clinicId}`, { area, clinicId, at }]));
    for (const hint of places.values()) for (const watcher of told) if (watcher.clinicIds.includes(hint.clinicId)) watcher.onChange(hint);
  }
}

type Change = { id: string; area: ChangeHint["area"]; clinicId: string };

/** New events, arrivals and repeated calls of the window, by primary key: the cost does not grow with the tables. */
function readChanges(db: Db, scope: { tenantGroupId: string; clinicIds: string[] }): Promise<Change[]> {
  return withRead(
    db,
    scope,
    async (tx) => {
      const since = tx.sql`(select uuidv7(make_interval(secs => ${-windowSeconds})))`;
      return tx.sql<Change[]>`
        (select event_id as id, 'appointments' as area, clinic_id as "clinicId" from outbox
          where event_id > ${since} order by event_id desc limit ${rowsMax})
        union all
        (select id, 'delivery', clinic_id from inbox_deliveries where id > ${since} order by id desc limit ${rowsMax})
        union all
        (select id, 'delivery', clinic_id from command_calls where id > ${since} order by id desc limit ${rowsMax})
        order by 1 desc
        limit ${rowsMax}`;
    },
    { deadlineMs: 2_000 },
  );
}
