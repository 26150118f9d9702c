"use client";

import { DropdownMenu } from "radix-ui";
import { type FocusEvent, type ReactElement, type ReactNode, useRef } from "react";
import { Icon } from "@/app/_components/icon";
import type { Choices, MenuFrame } from "@/app/_components/menu";

type Props = MenuFrame & {
  trigger: ReactElement;
  open: boolean;
  /** It was opened by a key before these parts were there: its first entry has the focus then, as it would have had. */
  takesFocus: boolean;
  onOpenChange(open: boolean): void;
  children: ReactNode;
};

/** What a menu is made of. Loaded at the first use of any menu: until then a page carries its buttons only. */
export function OpenableMenu({ trigger, label, align, open, takesFocus, onOpenChange, children }: Props) {
  const owesFocus = useRef(takesFocus);
  // the menu takes the focus itself once it stands; Radix did not see the key that opened it and would leave it there
  const passOn = ({ target, currentTarget }: FocusEvent<HTMLDivElement>) => {
    if (!owesFocus.current || target !== currentTarget) return;
    owesFocus.current = false;
    currentTarget.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
  };
  return (
    <DropdownMenu.Root modal={false} open={open} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align={align} sideOffset={4} collisionPadding={8} aria-label={label} onFocus={passOn}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export function Item({ onSelect, children }: { onSelect(): void; children: ReactNode }) {
  return <DropdownMenu.Item onSelect={onSelect}>{children}</DropdownMenu.Item>;
}

export function ChoiceItems({ label, value, onChange, choices }: Choices<string>) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
      <DropdownMenu.Label className="lab">{label}</DropdownMenu.Label>
      {choices.map((choice) => (
        <DropdownMenu.RadioItem key={choice.value} value={choice.value}>
          <span className="w-4">
            <DropdownMenu.ItemIndicator>
              <Icon name="check" />
            </DropdownMenu.ItemIndicator>
          </span>
          {choice.label}
          {choice.end && <span className="end">{choice.end}</span>}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export function Rule() {
  return <DropdownMenu.Separator className="rule" />;
}
