"use client";

import { useTranslations } from "next-intl";
import { CommandMenu } from "@/app/_components/frame/command-menu";
import type { FrameData } from "@/app/_components/frame/frame-data";
import { ScopeSwitcher } from "@/app/_components/frame/scope-switcher";
import { ThemeSwitch } from "@/app/_components/frame/theme-switch";
import { UserMenu } from "@/app/_components/frame/user-menu";
import type { Theme } from "@/app/_components/preferences";

export function TopBar({ data, theme }: { data: FrameData; theme: Theme }) {
  const t = useTranslations();
  return (
    <header className="bar">
      <section className="scope" aria-label={t("scope.label")}>
        <ScopeSwitcher tenantGroup={data.tenantGroup} clinics={data.clinics} mayAll={data.user.roles.includes("STAFF")} />
      </section>
      <span className="sp" />
      <CommandMenu roles={data.user.roles} clinics={data.clinics} />
      <ThemeSwitch theme={theme} />
      <UserMenu userRef={data.user.ref} roles={data.user.roles} theme={theme} />
    </header>
  );
}
