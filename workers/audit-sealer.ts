import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Db } from "@/db/client";
import type { DigestRing } from "@/server/canonical-hash";
import { type Checkpoint, readCheckpoints, takeCheckpoints } from "@/server/domain/audit/checkpoint";
import { sealOnce } from "@/server/domain/audit/seal-once";
import { verifyOnce } from "@/server/domain/audit/verify-once";
import { logger } from "@/server/logger";
import { countAudit } from "./metrics";
import { runLoop, type Tick } from "./run-loop";
import type { Worker } from "./worker-context";

/** Gives audit entries their place in the chain, lets signed checkpoints leave the database, and checks chains that are due or asked for. */
export const auditSealer: Worker = (context) => {
  const { db, env, status, clock } = context;
  const ring = env.DIGEST_KEYS;
  const worker = status.workerId;
  const checkpoints = new CheckpointKeeper(db, worker, ring, env.AUDIT_CHECKPOINT_FILE);
  let checkpointDueMs = 0;
  return runLoop(
    {
      status,
      pollMs: 1_000,
      tick: async (): Promise<Tick> => {
        const { sealed, lostRaces } = await sealOnce(db, { worker, ring });
        countAudit({ sealed, lostRaces });
        if (clock.monotonicMs() >= checkpointDueMs) {
          await checkpoints.leave();
          checkpointDueMs = clock.monotonicMs() + env.AUDIT_CHECKPOINT_SECONDS * 1_000;
        }
        if (sealed > 0) return { isBusy: true, counts: { sealed } };
        const { verified, faults } = await verifyOnce(db, {
          worker,
          ring,
          everySeconds: env.AUDIT_VERIFY_MINUTES * 60,
          checkpoints: () => checkpoints.read(),
          onBatch: () => status.alive(),
        });
        if (faults > 0) logger.error({ worker: status.role, faults }, "an audit chain is broken: npm run ops -- audit verify says where");
        return { isBusy: verified > 0, counts: { verified, faults } };
      },
    },
    context,
  );
};

/** Each checkpoint is a line of the log and, where a file is named, a line there: best on a disk that whoever keeps the database cannot write. */
export class CheckpointKeeper {
  private readonly left = new Map<string, string>();

  constructor(
    private readonly db: Db,
    private readonly worker: string,
    private readonly ring: DigestRing,
    private readonly file: string | undefined,
  ) {}

  /** Of every chain that grew since the last time; after a start, of every chain. */
  async leave(): Promise<number> {
    const taken = await takeCheckpoints(this.db, this.worker, this.ring, this.left);
    for (const checkpoint of taken) {
      logger.info({ checkpoint }, "audit checkpoint");
      if (this.file) appendFileSync(this.file, `${JSON.stringify(checkpoint)}\n`, { mode: 0o600 });
      this.left.set(checkpoint.tenantGroupId, checkpoint.seq);
    }
    return taken.length;
  }

  read(): Checkpoint[] {
    return this.file && existsSync(this.file) ? readCheckpoints(readFileSync(this.file, "utf8")) : [];
  }
}
