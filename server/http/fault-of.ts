/** What is safe to log of an error nobody planned: its kind, code and place. Messages of the database carry values. */
export function faultOf(error: unknown): { type: string; code?: unknown; stack?: string } {
  if (!(error instanceof Error)) return { type: typeof error };
  const places = error.stack
    ?.split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .join("\n");
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return { type: error.name, code: code ?? cause?.code, stack: places };
}
