"use client";

import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { IconButton } from "@/app/_components/button";
import { useTypedAhead } from "@/app/_components/frame/use-typed-ahead";
import { Icon } from "@/app/_components/icon";
import { KeyHint } from "@/app/_components/key-hint";
import { useFetched } from "@/app/_components/use-fetched";

const fetchDialog = () => import("@/app/_components/frame/command-dialog");
/** Somebody is about to ask for it. */
const near = () => void fetchDialog().catch(() => {});

/** Ctrl or ⌘ K, or a click: finds any reference that the person may see and goes to its row, story or visit. */
export function CommandMenu({ roles, clinics }: { roles: readonly string[]; clinics: readonly { ref: string }[] }) {
  const t = useTranslations();
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const { take } = useTypedAhead(open, close);
  const parts = useFetched(fetchDialog, open, close);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Control" || event.key === "Meta") near();
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  const opener = {
    "aria-haspopup": "dialog",
    "aria-expanded": open,
    onClick: () => setOpen(true),
    onPointerEnter: near,
    onFocus: near,
  } as const;
  return (
    <>
      <button type="button" className="find" {...opener}>
        <Icon name="search" />
        <span>{t("find.title")}</span>
        <KeyHint keys="Ctrl K" />
      </button>
      <IconButton name="search" className="findm" label={t("find.title")} {...opener} />
      {open && parts && <parts.CommandDialog roles={roles} clinics={clinics} typedAhead={take} onClose={close} />}
    </>
  );
}
