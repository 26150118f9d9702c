"use client";

import { useTranslations } from "next-intl";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { KeysButton } from "@/app/_components/frame/keys-button";
import { ScopeSwitcher } from "@/app/_components/frame/scope-switcher";
import { UserMenu } from "@/app/_components/frame/user-menu";
import { Menu, MenuChoices, MenuItem, MenuRule } from "@/app/_components/menu";
import { FactsMenu } from "@/app/(desk)/desk/_components/facts/facts-menu";
import { openDay } from "./desk-samples";
import { frameOf } from "./samples";

const nothing = () => {};
const frame = frameOf(["STAFF", "FRONT_DESK"]);

/** Presses the button in it once, as a person would: what opens is what the product opens. */
function Pressed({ end, children }: { end?: boolean; children: ReactNode }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.querySelector<HTMLElement>("[aria-haspopup]")?.click(), []);
  return (
    <main id="content" ref={place} className={`flex h-dvh items-start gap-2 bg-surface p-6 ${end ? "justify-end" : ""}`}>
      {children}
    </main>
  );
}

export function MenuStage() {
  const t = useTranslations();
  return (
    <Pressed>
      <Menu label={t("act.more")} trigger={<Button>{t("act.more")}</Button>}>
        <MenuItem onSelect={nothing}>{t("next.assign")}</MenuItem>
        <MenuItem onSelect={nothing}>{t("next.addNote")}</MenuItem>
        <MenuRule />
        <MenuChoices
          label={t("theme.label")}
          value="light"
          onChange={nothing}
          choices={[
            { value: "light", label: t("theme.light") },
            { value: "dark", label: t("theme.dark"), end: 2 },
          ]}
        />
      </Menu>
    </Pressed>
  );
}

export function ScopeMenuStage() {
  return (
    <Pressed>
      <ScopeSwitcher tenantGroup={frame.tenantGroup} clinics={frame.clinics} mayAll />
    </Pressed>
  );
}

export function AccountMenuStage() {
  return (
    <Pressed end>
      <UserMenu userRef={frame.user.ref} roles={frame.user.roles} theme="light" />
    </Pressed>
  );
}

export function FactsMenuStage() {
  const [column] = openDay.columns;
  return <Pressed end>{column && <FactsMenu column={column} onAsk={nothing} />}</Pressed>;
}

export function KeysStage() {
  return (
    <Pressed>
      <KeysButton places={["delivery", "planning", "stories", "audit", "drills", "desk"]} />
    </Pressed>
  );
}

export function DialogStage() {
  const t = useTranslations();
  const [open, setOpen] = useState(true);
  return (
    <main id="content" className="h-dvh bg-surface p-6">
      <Button onClick={() => setOpen(true)}>{t("keys.title")}</Button>
      <Dialog open={open} onOpenChange={setOpen} title={t("keys.title")} description={t("keys.single")}>
        <Button className="mt-4" look="primary" onClick={() => setOpen(false)}>
          {t("action.close")}
        </Button>
      </Dialog>
    </main>
  );
}
