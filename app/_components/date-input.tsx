import clsx from "clsx";
import type { ComponentProps } from "react";

/**
 * The browser's own field for a date. Browsers write dates by their own language, 12/01 for the first of December: while it has no focus the field shows
 * the words that the rest of the screen has for the day.
 */
export function DateInput({ words, className, ...input }: { words: string } & Omit<ComponentProps<"input">, "type">) {
  return (
    <span className={clsx("dtin", className)}>
      <input {...input} type="date" />
      {words && (
        <span className="dtw" aria-hidden="true">
          {words}
        </span>
      )}
    </span>
  );
}
