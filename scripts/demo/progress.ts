/** Lines that say what is going on and how long it took. */
export function newSteps() {
  const note = (line: string) => console.log(`    ${line}`);
  return {
    note,
    /** Of the children's JSON lines the warnings and errors, in short. */
    childLine: (name: string, line: string) => {
      const entry = parse(line);
      if (!entry) return;
      if (entry.level === "error" || entry.level === "fatal" || entry.level === "warn")
        note(`${name}: ${entry.msg ?? ""} ${entry.code ?? ""}`.trim());
    },
    run: async <T>(what: string, work: () => Promise<T>): Promise<T> => {
      const started = performance.now();
      console.log(`  … ${what}`);
      const result = await work();
      console.log(`  ✓ ${what} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
      return result;
    },
  };
}

function parse(line: string): { level?: string; msg?: string; code?: string } | undefined {
  try {
    return JSON.parse(line) as { level?: string };
  } catch {
    return undefined;
  }
}
