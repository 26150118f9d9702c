// Sets of half-open spans, sorted by start. Pure arithmetic on epoch milliseconds; linear once sorted.
import type { Span } from "./local-time";

export const byStart = (a: Span, b: Span): number => a.from - b.from || a.until - b.until;

export const overlaps = (a: Span, b: Span): boolean => a.from < b.until && b.from < a.until;

/** Those that share an instant with `within`. */
export const touching = <T extends Span>(spans: readonly T[], within: Span): T[] => spans.filter((span) => overlaps(span, within));

/** Sorted and disjoint; spans that touch become one. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].filter(({ from, until }) => from < until).sort(byStart)) {
    const last = merged.at(-1);
    if (last && span.from <= last.until) last.until = Math.max(last.until, span.until);
    else merged.push({ from: span.from, until: span.until });
  }
  return merged;
}

/** What lies in both; each side merged. */
export function intersectSpans(a: readonly Span[], b: readonly Span[]): Span[] {
  const both: Span[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [left, right] = [a[i] as Span, b[j] as Span];
    const span = { from: Math.max(left.from, right.from), until: Math.min(left.until, right.until) };
    if (span.from < span.until) both.push(span);
    if (left.until <= right.until) i += 1;
    else j += 1;
  }
  return both;
}

/** What of `a` (merged) no span of `blocks` (any order) covers. */
export function subtractSpans(a: readonly Span[], blocks: readonly Span[]): Span[] {
  const left: Span[] = [];
  const cuts = mergeSpans(blocks);
  let j = 0;
  for (const span of a) {
    let from = span.from;
    while (j < cuts.length && (cuts[j] as Span).until <= from) j += 1;
    for (let k = j; k < cuts.length && (cuts[k] as Span).from < span.until; k += 1) {
      const cut = cuts[k] as Span;
      if (from < cut.from) left.push({ from, until: cut.from });
      from = Math.max(from, cut.until);
    }
    if (from < span.until) left.push({ from, until: span.until });
  }
  return left;
}

/** Asks merged spans about windows whose start never goes back: each question moves on from the last one. */
export class SpanWalker {
  private i = 0;
  constructor(private readonly spans: readonly Span[]) {}

  /** Nothing of [from, until) is covered. */
  isClear(from: number, until: number): boolean {
    const span = this.at(from);
    return !span || span.from >= until;
  }

  /** All of [from, until) is covered. */
  isCovered(from: number, until: number): boolean {
    const span = this.at(from);
    return span !== undefined && span.from <= from && until <= span.until;
  }

  private at(from: number): Span | undefined {
    while (this.i < this.spans.length && (this.spans[this.i] as Span).until <= from) this.i += 1;
    return this.spans[this.i];
  }
}
