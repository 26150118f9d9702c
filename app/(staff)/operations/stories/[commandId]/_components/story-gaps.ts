import { epochMs } from "@/app/_components/time";
import type { StoryNode, StoryRow } from "./story-rows";

/**
 * What was missing while nothing was recorded, in the column of the record that ended it: CALLED_AGAIN no answer arrived, or nobody waited for it ·
 * UNPUBLISHED · UNCONFIRMED a consumer had not settled the event · REDELIVERED · UNSENT · UNDECIDED a person had to decide. `tries`: attempts that
 * are folded away between the row before and this one.
 */
export type GapKind = "CALLED_AGAIN" | "UNPUBLISHED" | "UNCONFIRMED" | "REDELIVERED" | "UNSENT" | "UNDECIDED";
export type StoryGap = { lane: number; kind: GapKind; ms: number; tries: number };

/** Shorter than this is how the system works, and no gap. */
export const gapFromMs = 10_000;

/** Names every gap by what ended it; other records may lie in between. */
export function nameGaps(rows: StoryRow[]): StoryRow[] {
  return rows.map((row, i) => {
    const gap = row.nodes.map((node) => gapBefore(node, row.at, rows.slice(0, i))).find((found) => found && found.ms >= gapFromMs);
    return gap ? { ...row, gap } : row;
  });
}

/** What a record had been waited for, since the record that let it be expected. */
function gapBefore({ lane, record, call, part }: StoryNode, at: string, before: readonly StoryRow[]): StoryGap | undefined {
  if (part === "reuse") return undefined;
  const since = (kind: GapKind, isCause: (node: StoryNode) => boolean): StoryGap | undefined => {
    const cause = before.findLast((row) => row.nodes.some(isCause));
    return cause && { lane, kind, ms: epochMs(at) - epochMs(cause.at), tries: 0 };
  };
  switch (record.kind) {
    case "call":
      return call?.afterMs == null ? undefined : { lane, kind: "CALLED_AGAIN", ms: call.afterMs, tries: 0 };
    case "published":
      return since("UNPUBLISHED", (node) => node.record.kind === "event");
    case "delivery":
      if (record.requestId)
        return since("UNCONFIRMED", (node) => node.record.kind === "replay" && node.record.requestId === record.requestId);
      return since(
        record.what === "DUPLICATE" ? "REDELIVERED" : "UNCONFIRMED",
        (node) => node.lane === lane || node.record.kind === "published",
      );
    case "sending":
      return since("UNSENT", (node) => node.record.kind === "intent" || node.record.kind === "sending");
    case "replay":
      return record.what === "APPROVED" || record.what === "REFUSED"
        ? since("UNDECIDED", (node) => node.record.kind === "delivery" && node.record.rowId === record.rowId)
        : undefined;
    default:
      return undefined;
  }
}

/** Attempts in a row that this many or more would only repeat each other. */
const foldFrom = 3;

/**
 * Leaves the first and the last of attempts that one consumer made after another, and says on the last how many are between them. `folded`: how many
 * are out of sight in all.
 */
export function foldTries(rows: readonly StoryRow[]): { rows: StoryRow[]; folded: number } {
  const shown: StoryRow[] = [];
  let folded = 0;
  for (let i = 0; i < rows.length; i++) {
    const run = triesFrom(rows, i);
    const last = rows[i + run - 1];
    shown.push(rows[i] as StoryRow);
    if (run < foldFrom || !last) continue;
    const [first] = last.nodes;
    const ms = epochMs(last.at) - epochMs((rows[i] as StoryRow).at);
    shown.push({ ...last, afterMs: ms, gap: { lane: first?.lane ?? 0, kind: "UNCONFIRMED", ms, tries: run - 2 } });
    folded += run - 2;
    i += run - 1;
  }
  return { rows: shown, folded };
}

/** How many rows from here on hold nothing but one more try of the same consumer. */
function triesFrom(rows: readonly StoryRow[], start: number): number {
  const lane = tryLane(rows[start]);
  if (lane === undefined) return 1;
  let run = 1;
  while (tryLane(rows[start + run]) === lane) run += 1;
  return run;
}

function tryLane(row: StoryRow | undefined): number | undefined {
  const [only, ...more] = row?.nodes ?? [];
  return only && more.length === 0 && only.record.kind === "delivery" && only.record.what === "RETRYABLE" ? only.lane : undefined;
}
