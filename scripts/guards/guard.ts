/** A guard of the product, how it is taken out, and the test that must turn red then. */
export type Guard = {
  /** What it keeps from happening. */
  name: string;
  /** Replacements in source files while they are loaded; each text must be there exactly once. The files themselves are never touched. */
  code?: { file: string; find: string; put: string }[];
  /** Statements, as superuser, in the template that this guard's test databases are copies of. */
  sql?: string;
  killer: { file: string; test: string };
};
