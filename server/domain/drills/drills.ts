import type { DrillName, PageDrill } from "./catalog";
import { competingPlans } from "./competing-plans";
import { doubleClick } from "./double-click";
import type { DrillProgress } from "./drill-progress";
import type { DrillWorld } from "./drill-world";
import { factWriterInFlight } from "./fact-writer-in-flight";
import { leaseLost } from "./lease-lost";
import { poisonEvent } from "./poison-event";
import { replayKilled } from "./replay-killed";
import { schemaMismatch } from "./schema-mismatch";
import { solverKilled } from "./solver-killed";
import { staleResult } from "./stale-result";

/** How each drill that runs inside a process is carried out. */
const drills: { [N in PageDrill]: (world: DrillWorld, progress: DrillProgress<N>) => Promise<void> } = {
  "poison-event": poisonEvent,
  "schema-mismatch": schemaMismatch,
  "replay-killed": replayKilled,
  "lease-lost": leaseLost,
  "double-click": doubleClick,
  "stale-result": staleResult,
  "competing-plans": competingPlans,
  "solver-killed": solverKilled,
  "fact-writer-in-flight": factWriterInFlight,
};

export const carryOut = <N extends PageDrill>(drill: N, world: DrillWorld, progress: DrillProgress<N>): Promise<void> =>
  drills[drill](world, progress);

export const isPageDrill = (name: DrillName): name is PageDrill => Object.hasOwn(drills, name);
