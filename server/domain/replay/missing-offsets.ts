import type { OffsetRange, PartitionOffset } from "./types";

/** Single offsets as the fewest ranges, partition by partition. */
export function toRanges(offsets: readonly PartitionOffset[]): OffsetRange[] {
  const sorted = [...offsets].sort((a, b) => a.partition - b.partition || (BigInt(a.offset) < BigInt(b.offset) ? -1 : 1));
  const ranges: OffsetRange[] = [];
  for (const { partition, offset } of sorted) {
    const last = ranges.at(-1);
    if (last?.partition === partition && BigInt(offset) <= BigInt(last.last) + 1n) last.last = offset;
    else ranges.push({ partition, first: offset, last: offset });
  }
  return ranges;
}

type Mark = { partition: number; low: string; high: string };

/** What of a range lies before the log's first record or at and behind its end. Nothing is clamped: these are listed, and the job is not complete. */
export function outsideLog(ranges: readonly OffsetRange[], marks: readonly Mark[]): OffsetRange[] {
  return ranges.flatMap(({ partition, first, last }) => {
    const mark = marks.find((one) => one.partition === partition);
    if (!mark) return [{ partition, first, last }];
    const [from, to, low, high] = [BigInt(first), BigInt(last), BigInt(mark.low), BigInt(mark.high)];
    const parts: OffsetRange[] = [];
    if (from < low) parts.push({ partition, first, last: String(to < low ? to : low - 1n) });
    if (to >= high) parts.push({ partition, first: String(from > high ? from : high), last });
    return parts;
  });
}
