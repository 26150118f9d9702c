"use client";

import { cloneElement, createContext, type KeyboardEvent, type MouseEvent, type ReactElement, type ReactNode, use, useState } from "react";

export type MenuFrame = { label: string; align?: "start" | "end" };
export type Choices<T extends string> = {
  label: string;
  value: T;
  onChange(value: T): void;
  choices: { value: T; label: ReactNode; end?: ReactNode }[];
};
type Parts = typeof import("@/app/_components/menu-parts");

let loading: Promise<Parts> | undefined;
const loadParts = (): Promise<Parts> => {
  loading ??= import("@/app/_components/menu-parts");
  loading.catch(() => {
    loading = undefined; // the next use tries again
  });
  return loading;
};
const Loaded = createContext<Parts | null>(null);

/**
 * Menu under a button; the trigger brings its own look. What a menu is made of weighs a tenth of a page, so it is fetched when a pointer or the focus comes
 * near, and takes over with the click that opens the menu for the first time.
 */
export function Menu({ trigger, label, align = "start", children }: MenuFrame & { trigger: ReactElement; children: ReactNode }) {
  const [parts, setParts] = useState<Parts | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [byKey, setByKey] = useState(false);
  if (parts)
    return (
      <Loaded value={parts}>
        <parts.OpenableMenu trigger={trigger} label={label} align={align} open={isOpen} takesFocus={byKey} onOpenChange={setOpen}>
          {children}
        </parts.OpenableMenu>
      </Loaded>
    );
  const open = (isByKey: boolean) =>
    void loadParts().then((loaded) => {
      setParts(loaded);
      setByKey(isByKey);
      setOpen(true);
    }, ignore);
  const near = () => void loadParts().catch(ignore);
  return cloneElement(trigger as ReactElement<Record<string, unknown>>, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onPointerEnter: near,
    onFocus: near,
    onClick: (event: MouseEvent) => open(event.detail === 0),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      open(true);
    },
  });
}

/** Not fetched: the button stays as it is, and the next click tries again. */
const ignore = () => {};

export function MenuItem({ onSelect, children }: { onSelect(): void; children: ReactNode }) {
  const parts = use(Loaded);
  return parts && <parts.Item onSelect={onSelect}>{children}</parts.Item>;
}

/** One of several; the chosen one is ticked and bold, not only coloured. */
export function MenuChoices<T extends string>({ onChange, ...choices }: Choices<T>) {
  const parts = use(Loaded);
  return parts && <parts.ChoiceItems {...choices} onChange={(next) => onChange(next as T)} />;
}

export function MenuRule() {
  const parts = use(Loaded);
  return parts && <parts.Rule />;
}
