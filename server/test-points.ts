// Named places where a test may hold or break the work, so that a race is opened on purpose instead of by a sleep.
// Nothing in the product sets one: then a point costs one look into an empty map. The map is the process's, not the module's: a bundle has several
// copies of a module, and a drill sets its points from a file that is loaded before the built process (scripts/kill/at-point.mjs).
const key = Symbol.for("appointment-operations.test-points");
const holder = globalThis as { [key]?: Map<string, (detail?: unknown) => unknown> };
holder[key] ??= new Map();
const points = holder[key];

/** Waits for what a test has put at this point; resolves at once otherwise. */
export async function testPoint(name: string, detail?: unknown): Promise<void> {
  const act = points.get(name);
  if (act) await act(detail);
}

/** Test only. */
export const setTestPoint = (name: string, act: (detail?: unknown) => unknown): void => void points.set(name, act);

/** Test only. */
export const clearTestPoints = (): void => points.clear();
