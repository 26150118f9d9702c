import { type logCreator, logLevel } from "kafkajs";
import { logger } from "@/server/logger";

/** kafkajs mends these by itself: at full height the log would cry wolf at every start and rebalance. */
const mended =
  /coordinator is (loading|not available)|not the (coordinator|leader)|not the correct coordinator|rebalanc|leadership election|Connection (error|timeout)|Failed to connect|Connection is closed|Restarting the consumer|retr(y|ies)|EoS|unlimited|Idempotent/i;

/** kafkajs's log lines through ours: codes and names only, its stacks and payloads left out. */
export const kafkaLogCreator: logCreator =
  () =>
  ({ level, log }) => {
    if (level > logLevel.WARN) return;
    const { message, groupId, error } = log as { message: string; groupId?: string; error?: string };
    const line = { kafka: error ? `${message}: ${error}` : message, ...(groupId ? { groupId } : {}) };
    if (mended.test(line.kafka)) logger.debug(line, "kafka client");
    else if (level === logLevel.ERROR) logger.error(line, "kafka client");
    else logger.warn(line, "kafka client");
  };
