/** What a saved view keeps of an address: names of filters and their values. */
export type KeptFilter = Record<string, string | string[]>;

/** Whether two kept filters lead to one address, as far as this release knows their words: `known` reads a filter and writes it again. */
export const sameBy =
  (known: (filter: Record<string, unknown>) => KeptFilter) =>
  (one: Record<string, unknown>, other: Record<string, unknown>): boolean => {
    const key = (filter: Record<string, unknown>) => JSON.stringify(Object.entries(known(filter)).sort());
    return key(one) === key(other);
  };
