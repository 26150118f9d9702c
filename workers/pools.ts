import { closeDb, type Db, openDb } from "@/db/client";

/** What keeps the rest alive and is only ever a few short statements: waiting behind a slow consumer, it would look dead or hold up everybody. */
const vitalRoles: readonly string[] = ["outbox-relay"];
/** Claim and mark of the relay, one publish to the embedded log, one heartbeat. */
const vitalMax = 3;

export type WorkerPools = {
  /** Of all roles that may take long; DATABASE_POOL_MAX connections. */
  shared: Db;
  /** Of the relay and the heartbeat. */
  vital: Db;
  /** The pool in which a role works. */
  of(role: string): Db;
  close(timeoutSeconds?: number): Promise<void>;
};

/** The connections of one worker process. All roles in one process share a pool; relay and heartbeat have a small one that nobody else can use up. */
export function openWorkerPools(env: { WORKER_DATABASE_URL: string; DATABASE_POOL_MAX: number; DATABASE_PREPARE: boolean }): WorkerPools {
  const open = (max: number) => openDb(env.WORKER_DATABASE_URL, { max, prepare: env.DATABASE_PREPARE, applicationName: "workers" });
  const [shared, vital] = [open(env.DATABASE_POOL_MAX), open(vitalMax)];
  return {
    shared,
    vital,
    of: (role) => (vitalRoles.includes(role) ? vital : shared),
    close: async (timeoutSeconds) => {
      await Promise.all([shared, vital].map((db) => closeDb(db, timeoutSeconds)));
    },
  };
}
