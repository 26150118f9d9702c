"use client";

import { Icon } from "@/app/_components/icon";

/** The queue's own checkbox: three states, and no part of the row's click. */
export function Checkbox({
  checked,
  label,
  tabIndex = 0,
  onToggle,
}: {
  checked: boolean | "mixed";
  label: string;
  tabIndex?: number;
  onToggle(shift: boolean): void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the browser's own has no third state that can be set in markup
    <button
      type="button"
      className="cb"
      role="checkbox"
      aria-checked={checked}
      aria-label={label}
      tabIndex={tabIndex}
      onClick={(event) => {
        event.stopPropagation();
        onToggle(event.shiftKey);
      }}
      onKeyDown={(event) => event.key === "Enter" && event.stopPropagation()}
    >
      <i>{checked === "mixed" ? <Icon name="minus" /> : checked && <Icon name="check" />}</i>
    </button>
  );
}
