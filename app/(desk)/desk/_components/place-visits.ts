/** A piece of a column: `lane` of `lanes` side by side. */
export type Placed<T> = { item: T; lane: number; lanes: number };

/**
 * Lays visits that overlap in one column side by side. Visits that touch do not overlap. All of a chain of overlaps share the number of lanes, so no
 * block hides another.
 */
export function placeVisits<T extends { from: number; until: number }>(items: readonly T[]): Placed<T>[] {
  const placed: Placed<T>[] = [];
  let chain: { item: T; lane: number }[] = [];
  let chainEnd = Number.NEGATIVE_INFINITY;
  const close = () => {
    const lanes = Math.max(0, ...chain.map(({ lane }) => lane)) + 1;
    placed.push(...chain.map((one) => ({ ...one, lanes })));
    chain = [];
  };
  for (const item of [...items].sort((a, b) => a.from - b.from || b.until - a.until)) {
    if (item.from >= chainEnd) close();
    const taken = new Set(chain.filter((one) => one.item.until > item.from).map(({ lane }) => lane));
    let lane = 0;
    while (taken.has(lane)) lane++;
    chain.push({ item, lane });
    chainEnd = Math.max(chain.length === 1 ? Number.NEGATIVE_INFINITY : chainEnd, item.until);
  }
  close();
  return placed;
}
