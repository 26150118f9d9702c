import type { LogicalConsumer } from "@/server/domain/inbox/types";
import type { WorkerEnv } from "@/server/env";
import { withDemoFaults } from "./demo-faults";
import { logicalConsumers } from "./logical-consumers";

const startedAt = new Date().toISOString();

/** The registry as this process runs it: with the demo's faults around the handlers when the demo asks for them. */
export const registeredConsumers = (env: Pick<WorkerEnv, "DEMO" | "DEMO_FAULTS">): readonly LogicalConsumer[] =>
  env.DEMO && env.DEMO_FAULTS ? logicalConsumers.map((consumer) => withDemoFaults(consumer, startedAt)) : logicalConsumers;
