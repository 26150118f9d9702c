"use client";

import clsx from "clsx";
import type { ComponentProps } from "react";
import { type ButtonLook, buttonClass } from "@/app/_components/button-class";
import { type Glyph, Icon } from "@/app/_components/icon";

type Look = ButtonLook & {
  icon?: Glyph;
  busy?: boolean;
  /** id of the element that says why the button is off; it stays focusable so that the reason is reachable. */
  offBecause?: string;
};

/** A button that is off is `aria-disabled`, never `disabled`, and swallows the click. */
export function Button({
  look,
  size,
  icon,
  busy,
  offBecause,
  className,
  children,
  onClick,
  type = "button",
  ...rest
}: Look & ComponentProps<"button">) {
  const off = Boolean(offBecause) || busy;
  return (
    <button
      {...rest}
      type={type}
      className={buttonClass({ look, size }, className)}
      aria-disabled={off || undefined}
      aria-busy={busy || undefined}
      aria-describedby={offBecause ?? rest["aria-describedby"]}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy ? <Icon name="run" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** Square button that shows a glyph only; the name is required. */
export function IconButton({
  name,
  label,
  small,
  className,
  ...rest
}: { name: Glyph; label: string; small?: boolean } & ComponentProps<"button">) {
  return (
    <button type="button" aria-label={label} title={label} {...rest} className={clsx("iconbtn", small && "sm", className)}>
      <Icon name={name} />
    </button>
  );
}
