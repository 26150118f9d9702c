import { epochMs } from "@/app/_components/time";
import type { StoryHead, StoryRecord } from "@/server/domain/operations/story-types";
import { nameGaps, type StoryGap } from "./story-gaps";

/** One node: a record in the column of the identity it belongs to. A call that was answered from the store stands a second time at its key. */
export type StoryNode = { lane: number; record: StoryRecord; part: "record" | "reuse"; call?: { number: number; afterMs: number | null } };
/** All nodes of one instant. `afterMs`: distance to the row before. */
export type StoryRow = { at: string; afterMs: number | null; isTransaction: boolean; nodes: StoryNode[]; gap?: StoryGap };

export const lanes = { call: 0, key: 1, change: 2, intent: 3, event: 4, audit: 5, log: 6, consumers: 7 } as const;

/** What decides the columns. */
type Columns = Pick<StoryHead, "consumers"> & { counts: Pick<StoryHead["counts"], "replays"> };

const sendingLane = (head: Columns): number => lanes.consumers + head.consumers.length;
/** Columns beside the time: seven fixed ones, one for each consumer, the notification, and the replay where there was one. */
export const laneCount = (head: Columns): number => sendingLane(head) + (head.counts.replays > 0 ? 2 : 1);

/** Records (in the order of their instants) as rows; records of one millisecond share a row unless their columns meet. */
export function storyRows(head: Columns, records: readonly StoryRecord[]): StoryRow[] {
  const rows: StoryRow[] = [];
  let calls = 0;
  let lastCallMs: number | null = null;
  for (const record of records) {
    const atMs = epochMs(record.at);
    const node: StoryNode = { lane: laneOf(head, record), record, part: "record" };
    if (record.kind === "call") {
      calls += 1;
      node.call = { number: calls, afterMs: lastCallMs === null ? null : atMs - lastCallMs };
      lastCallMs = atMs;
    }
    const nodes =
      record.kind === "call" && record.what === "REPLAYED" ? [node, { ...node, lane: lanes.key, part: "reuse" as const }] : [node];
    const last = rows.at(-1);
    const meets = last?.nodes.some((other) => nodes.some((one) => one.lane === other.lane));
    if (last && !meets && epochMs(last.at) === atMs && last.isTransaction === record.inTransaction) last.nodes.push(...nodes);
    else rows.push({ at: record.at, afterMs: last ? atMs - epochMs(last.at) : null, isTransaction: record.inTransaction, nodes });
  }
  return nameGaps(rows);
}

function laneOf(head: Columns, record: StoryRecord): number {
  switch (record.kind) {
    case "published":
      return lanes.log;
    case "left":
      return lanes.event;
    case "delivery":
      return (
        lanes.consumers +
        Math.max(
          0,
          head.consumers.findIndex((one) => one.consumer === record.by),
        )
      );
    case "sending":
    case "reminder":
      return sendingLane(head);
    case "replay":
      return Math.min(sendingLane(head) + 1, laneCount(head) - 1);
    case "audit":
      return lanes.audit;
    case "intent":
      return record.inTransaction ? lanes.intent : sendingLane(head);
    case "call":
    case "key":
    case "change":
    case "event":
      return lanes[record.kind];
  }
}

/** From the row and column of the cause to those of its effect. */
export type Wire = {
  kind: "down-right" | "right-down" | "left-down" | "right" | "down";
  from: [row: number, lane: number];
  to: [row: number, lane: number];
};

/** Lines of cause and effect: first call to key, event to log, log to each consumer, attempt to attempt, intent to provider. */
export function storyWires(head: Columns, rows: readonly StoryRow[]): Wire[] {
  const find = (is: (node: StoryNode) => boolean): [number, number] | undefined => {
    const row = rows.findIndex((one) => one.nodes.some(is));
    const node = rows[row]?.nodes.find(is);
    return node && [row, node.lane];
  };
  const wires: (Wire | undefined)[] = [];
  const first = find(({ record, part }) => record.kind === "call" && record.what === "FIRST" && part === "record");
  const key = find(({ record }) => record.kind === "key");
  wires.push(first && key && { kind: "down-right", from: first, to: key });
  const event = find(({ record }) => record.kind === "event");
  const published = find(({ record }) => record.kind === "published");
  wires.push(event && published && { kind: "down-right", from: event, to: published });
  for (const [at] of head.consumers.entries()) {
    const lane = lanes.consumers + at;
    const attempts = rows.flatMap((row, i) => (row.nodes.some((node) => node.lane === lane) ? [i] : []));
    const [start] = attempts;
    if (published && start !== undefined && start > published[0]) wires.push({ kind: "right-down", from: published, to: [start, lane] });
    for (const [i, row] of attempts.entries()) {
      const next = attempts[i + 1];
      if (next !== undefined) wires.push({ kind: "down", from: [row, lane], to: [next, lane] });
    }
  }
  const intent = find(({ record }) => record.kind === "intent" && record.inTransaction);
  const sending = find(({ record }) => record.kind === "sending");
  wires.push(intent && sending && { kind: "down-right", from: intent, to: sending });
  for (const [row, { nodes }] of rows.entries())
    for (const node of nodes)
      if (node.record.kind === "replay" && node.record.what === "APPROVED") {
        const next = rows.findIndex((one, at) => at > row && one.nodes.some((other) => isAttemptOf(other, node.record.requestId)));
        const lane = rows[next]?.nodes.find((other) => isAttemptOf(other, node.record.requestId))?.lane;
        if (lane !== undefined) wires.push({ kind: "left-down", from: [row, node.lane], to: [next, lane] });
      }
  for (const [i, row] of rows.entries())
    if (row.nodes.some((node) => node.part === "reuse")) wires.push({ kind: "right", from: [i, lanes.call], to: [i, lanes.key] });
  return wires.filter((wire) => wire !== undefined && (wire.kind === "right" || wire.to[0] > wire.from[0])) as Wire[];
}

const isAttemptOf = ({ record }: StoryNode, requestId: string | null): boolean =>
  record.kind === "delivery" && requestId !== null && record.requestId === requestId;
