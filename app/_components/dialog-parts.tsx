"use client";

import { useTranslations } from "next-intl";
import { Dialog as RadixDialog } from "radix-ui";
import { type ReactNode, useState } from "react";
import type { DialogFrame } from "@/app/_components/dialog";
import { Icon } from "@/app/_components/icon";

/** What had the focus when a dialog came has it again when it goes; for `onCloseAutoFocus`. */
export function useFocusBack(): (event: Event) => void {
  const [opener] = useState(() => document.activeElement);
  return (event) => {
    if (!(opener instanceof HTMLElement) || !opener.isConnected) return;
    event.preventDefault();
    opener.focus();
  };
}

/** The dialog itself: open as long as it is drawn. */
export function OpenDialog({ onClose, title, description, children }: DialogFrame & { onClose(): void; children: ReactNode }) {
  const t = useTranslations();
  const focusBack = useFocusBack();
  return (
    <RadixDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="veil" />
        <RadixDialog.Content className="dlg" onCloseAutoFocus={focusBack} {...(description ? {} : { "aria-describedby": undefined })}>
          <div className="flex items-start gap-3">
            <RadixDialog.Title className="flex-1">{title}</RadixDialog.Title>
            <RadixDialog.Close className="iconbtn sm" aria-label={t("action.close")}>
              <Icon name="x" />
            </RadixDialog.Close>
          </div>
          {description && <RadixDialog.Description className="mt-1 text-2nd">{description}</RadixDialog.Description>}
          {children}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}
