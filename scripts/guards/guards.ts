import { commandGuards } from "./command-guards";
import { deliveryGuards } from "./delivery-guards";
import { edgeGuards } from "./edge-guards";
import type { Guard } from "./guard";
import { planningGuards } from "./planning-guards";
import { recordGuards } from "./record-guards";
import { replayGuards } from "./replay-guards";

/** Every guard that npm run test:guards takes out, one at a time. docs/proofs.md says in words what each of them keeps. */
export const guards: readonly Guard[] = [
  ...commandGuards,
  ...deliveryGuards,
  ...replayGuards,
  ...planningGuards,
  ...recordGuards,
  ...edgeGuards,
];
