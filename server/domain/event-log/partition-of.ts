/** The partition of a key: murmur2 as Kafka's own default partitioner has it, for both logs, so that a key keeps its place on either. */
export function partitionOf(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key, "utf8")) & 0x7fffffff) % partitions;
}

/** 32-bit murmur2 with Kafka's seed. */
function murmur2(data: Buffer): number {
  const m = 0x5bd1e995;
  let h = 0x9747b28c ^ data.length;
  const whole = data.length - (data.length % 4);
  for (let i = 0; i < whole; i += 4) {
    let k = Math.imul(data.readInt32LE(i), m);
    k ^= k >>> 24;
    h = Math.imul(h, m) ^ Math.imul(k, m);
  }
  for (let i = data.length - 1; i >= whole; i--) h ^= data.readUInt8(i) << ((i - whole) * 8);
  if (whole < data.length) h = Math.imul(h, m);
  h ^= h >>> 13;
  h = Math.imul(h, m);
  return h ^ (h >>> 15);
}
