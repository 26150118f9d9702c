"use client";

import { useTranslations } from "next-intl";
import { IconButton } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { Menu, MenuItem, MenuRule } from "@/app/_components/menu";
import type { DeskColumn } from "@/server/domain/operations/desk-day";
import type { FactsAsk } from "./facts-ask";

/** Under a column's name: what can be entered for this doctor, device or room. The forms themselves load when one is asked for. */
export function FactsMenu({ column, onAsk }: { column: DeskColumn; onAsk(ask: FactsAsk): void }) {
  const t = useTranslations();
  const label = t("facts.menu", { name: column.name });
  const isDoctor = column.kind === "DOCTOR";
  const ask = (form: FactsAsk["form"]) => () => onAsk({ columnId: column.id, form });
  return (
    <Menu label={label} align="end" trigger={<IconButton name="more" small label={label} data-facts={column.id} />}>
      {isDoctor ? (
        <>
          <MenuItem onSelect={ask("absence")}>{t("facts.add.absence")}</MenuItem>
          <MenuItem onSelect={ask("break")}>{t("facts.add.break")}</MenuItem>
        </>
      ) : (
        <MenuItem onSelect={ask("outage")}>{t("facts.add.outage")}</MenuItem>
      )}
      <MenuItem onSelect={ask("closure")}>{t("facts.add.closure")}</MenuItem>
      <MenuRule />
      {isDoctor && <MenuItem onSelect={ask("hours")}>{t("facts.add.hours")}</MenuItem>}
      <MenuItem onSelect={ask("clinicHours")}>{t("facts.add.clinicHours")}</MenuItem>
      <MenuRule />
      <MenuItem onSelect={ask(null)}>{t("facts.all")}</MenuItem>
    </Menu>
  );
}

/** Where no columns are drawn, on a phone: first of whom or what, then what; the list of what holds there has the same forms. */
export function FactsOfAllMenu({ columns, onAsk }: { columns: DeskColumn[]; onAsk(ask: FactsAsk): void }) {
  const t = useTranslations();
  if (columns.length === 0) return null;
  return (
    <Menu
      label={t("facts.ofWhom")}
      align="end"
      trigger={
        <button type="button" className="sel" data-facts={columns.map(({ id }) => id).join(" ")}>
          <Icon name="pen" />
          {t("facts.menuOfAll")}
        </button>
      }
    >
      {columns.map(({ id, kind, name }) => (
        <MenuItem key={id} onSelect={() => onAsk({ columnId: id, form: null })}>
          <Icon name={kind === "DOCTOR" ? "user" : kind === "DEVICE" ? "device" : "clinic"} />
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
