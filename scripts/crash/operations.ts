import { commandOperations } from "./commands";
import { consumeOperations } from "./consume";
import type { Operation } from "./operation";
import { planningOperations } from "./planning";
import { replayOperations } from "./replay";
import { receiptOperation } from "./replay-receipt";
import { dispatchOperation, relayOperation } from "./ticks";

/** Everything that must hold when its connection is cut at any message. */
export const operations: Operation[] = [
  ...commandOperations,
  relayOperation,
  ...consumeOperations,
  dispatchOperation,
  ...replayOperations,
  receiptOperation,
  ...planningOperations,
];
