"use client";

import { useLocale, useTranslations } from "next-intl";
import { useTransition } from "react";
import { type RoleName, roleWords } from "@/app/_components/frame/role-words";
import { applyTheme } from "@/app/_components/frame/theme-switch";
import { Icon } from "@/app/_components/icon";
import { Menu, MenuChoices, MenuItem, MenuRule } from "@/app/_components/menu";
import type { Theme } from "@/app/_components/preferences";
import { keepLocale, keepTheme } from "@/app/_components/preferences-actions";
import { type Locale, locales } from "@/app/_i18n/locales";
import { useSignOut } from "@/app/sign-in/sign-out";

const ownNames: Record<Locale, string> = { en: "English", ko: "한국어" };
/** The role that says most about what this person may do here comes first. */
const order: RoleName[] = ["APPOINTMENT_REPLAY_OPERATOR", "ADMIN", "STAFF", "POLICY_APPROVER", "POLICY_AUTHOR", "FRONT_DESK"];

/** Role and short reference of the person, theme, language and the way out. */
export function UserMenu({ userRef, roles, theme }: { userRef: string; roles: string[]; theme: Theme }) {
  const t = useTranslations();
  const locale = useLocale();
  const [, start] = useTransition();
  const main = order.find((role) => roles.includes(role));
  const word = main && roleWords[main];
  const signOut = useSignOut();
  return (
    <Menu
      label={t("user.menu")}
      align="end"
      trigger={
        <button type="button" className="actor" aria-label={t("user.signedIn", { ref: userRef, role: word ? t(word) : "" })}>
          {word && (
            <span className="role">
              <Icon name={main === "FRONT_DESK" ? "desk" : main === "APPOINTMENT_REPLAY_OPERATOR" ? "key" : "user"} />
              {t(word)}
            </span>
          )}
          <span className="av" aria-hidden="true">
            {userRef.replace(/^.*?(\d{1,2})$/, "$1").slice(-2)}
          </span>
        </button>
      }
    >
      <MenuChoices
        label={t("theme.label")}
        value={theme}
        onChange={(next: Theme) => {
          applyTheme(next);
          start(() => keepTheme(next));
        }}
        choices={[
          { value: "system", label: t("theme.system") },
          { value: "light", label: t("theme.light") },
          { value: "dark", label: t("theme.dark") },
        ]}
      />
      <MenuRule />
      <MenuChoices
        label={t("user.language")}
        value={locale}
        onChange={(next: Locale) => start(() => keepLocale(next))}
        choices={locales.map((value) => ({ value, label: <span lang={value}>{ownNames[value]}</span> }))}
      />
      <MenuRule />
      <MenuItem onSelect={signOut}>
        <span className="w-4" />
        {t("user.signOut")}
      </MenuItem>
    </Menu>
  );
}
