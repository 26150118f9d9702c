import path from "node:path";
import type { Plugin } from "vite";
import type { Guard } from "./guard";

/** Loads the guard's files without it. Fails loudly when a text is not there exactly once: then the list is older than the code. */
export function withoutGuard(guard: Guard, root: string): Plugin {
  return {
    name: "without-guard",
    enforce: "pre",
    transform(source, id) {
      const patches = (guard.code ?? []).filter(({ file }) => id.split("?")[0] === path.join(root, file));
      if (patches.length === 0) return null;
      return { code: patches.reduce((text, patch) => patched(text, patch), source), map: null };
    },
  };
}

/** The text without its guard. Throws when `find` is not in it exactly once. */
export function patched(text: string, { file, find, put }: NonNullable<Guard["code"]>[number]): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times: ${find}`);
  return parts.join(put);
}
