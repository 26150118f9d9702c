import clsx from "clsx";

/** Glyphs of public/icons.svg; icon.test.ts fails when the two lists part. */
// biome-ignore format: one list, read as a whole
export const glyphs = [
  "delivery", "planning", "story", "policy", "evidence", "desk", "help", "group", "clinic", "user", "users", "key", "lock", "device", "bell",
  "http", "record", "outbox", "broker", "inbox", "flask", "drill", "bookmark", "search", "down", "right", "left", "up", "check", "x", "minus",
  "plus", "copy", "more", "filter", "sort", "sun", "moon", "ext", "arrow", "recalc", "replay", "clock", "eye", "info", "off", "person2", "kbd",
  "menu", "neq", "eq", "pen", "done", "reuse", "wait", "hold", "stale", "plan", "warn", "run", "pass", "fail", "na", "await", "dot", "mark",
  "ready", "gear", "audit", "pause", "fenced",
] as const;
export type Glyph = (typeof glyphs)[number];

/** One glyph. Without `label` it is decoration beside a word; with one it is an image with that name. */
export function Icon({ name, label, className }: { name: Glyph; label?: string; className?: string }) {
  const named = label ? { role: "img", "aria-label": label } : { "aria-hidden": true };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: named by aria-label, or hidden beside its word
    <svg className={clsx("ic", className)} viewBox="0 0 16 16" {...named}>
      <use href={`/icons.svg#i-${name}`} />
    </svg>
  );
}
