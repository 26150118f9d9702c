/** The last word of each name, where that tells them apart and names are written in several words; else the whole names. */
export function shortNames(names: readonly string[]): string[] {
  const last = names.map((name) => name.trim().split(/\s+/).at(-1) ?? name);
  return new Set(last).size === names.length ? last : [...names];
}
