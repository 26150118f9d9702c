import clsx from "clsx";

/** primary = ink, the one main action of a pane; bordered = a decision; quiet and link = reading. */
export type ButtonLook = { look?: "primary" | "bordered" | "quiet" | "link"; size?: "sm" | "md" | "lg" };

/** Classes of a button, for links that look like one. */
export function buttonClass({ look = "bordered", size = "md" }: ButtonLook, className?: string): string {
  return clsx("btn", look !== "bordered" && look, look === "link" && "lk", size !== "md" && size, className);
}
