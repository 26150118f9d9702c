/** The same numbers at every start (mulberry32): two demos of one day look alike, and a fault seen in one is seen in the other. */
export type Random = {
  next: () => number;
  below: (n: number) => number;
  pick: <T>(items: readonly T[]) => T;
  chance: (p: number) => boolean;
};

export function newRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { next, below, chance: (p) => next() < p, pick: (items) => items[below(items.length)] as (typeof items)[number] };
}
