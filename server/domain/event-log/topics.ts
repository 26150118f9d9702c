/**
 * Every topic with its partition count. The count is fixed: another one would move keys to other partitions, and with them break the order
 * and the recorded positions. Checked at start against the log.
 */
export const topics: Readonly<Record<string, { partitions: number }>> = {
  "appointment.v1": { partitions: 12 },
  "clinic-fact.v1": { partitions: 12 },
};

/** Largest value of one record, in bytes of UTF-8: below Kafka's own default of 1 MiB for a request, so that both logs refuse the same. */
export const recordBytesMax = 900_000;
