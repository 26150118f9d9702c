"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import type { RefObject } from "react";
import { Button } from "@/app/_components/button";
import { roleWords } from "@/app/_components/frame/role-words";
import { Icon } from "@/app/_components/icon";
import { FilterChip } from "@/app/_components/list/filter-chip";
import { NewRows } from "@/app/_components/list/new-rows";
import { SearchField } from "@/app/_components/list/search-field";
import { Menu, MenuChoices } from "@/app/_components/menu";
import { shortIdentity } from "@/app/_components/ref";
import { auditResults } from "@/app/_components/state-dictionary";
import { useTRPC } from "@/app/_trpc/client";
import { type AuditUrl, actorChoices, auditResultChoices, auditRoleChoices, isFiltered, noFilter } from "./audit-url";
import { useAuditWords } from "./use-audit-words";

type Props = {
  clinic: string | undefined;
  url: AuditUrl;
  onChange(next: Partial<AuditUrl>): void;
  searchRef: RefObject<HTMLInputElement | null>;
  newRows: number;
  onShowNew(): void;
};

/** Search, filters as menus, and each filter that is set as a chip that takes it away. */
export function AuditToolbar({ clinic, url, onChange, searchRef, newRows, onShowNew }: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const say = useAuditWords();
  const acts = useQuery(trpc.audit.acts.queryOptions({ clinic }, { staleTime: 60_000 }));
  const actorWords = { people: t("audit.actor.people"), outside: t("audit.actor.outside"), workers: t("audit.actor.workers") };
  return (
    <div className="tools audit">
      <SearchField
        value={url.q}
        label={t("audit.search")}
        hint={t("audit.searchHint")}
        onSearch={(q) => onChange({ q })}
        inputRef={searchRef}
      />
      <Day label={t("audit.from")} value={url.from} max={url.until} onChange={(from) => onChange({ from })} />
      <Day label={t("audit.until")} value={url.until} min={url.from} onChange={(until) => onChange({ until })} />
      <NewRows count={newRows} words={t("audit.newEntries", { count: newRows })} onShow={onShowNew} />
      {url.of && (
        <FilterChip name={t("audit.sameRequest")} onRemove={() => onChange({ of: null })}>
          {shortIdentity(url.of, 8, 4)}
        </FilterChip>
      )}
      <Filter
        label={t("audit.col.actor")}
        name={t("audit.actor.title")}
        value={url.actor}
        words={actorWords}
        choices={actorChoices}
        onChange={(actor) => onChange({ actor: actor as AuditUrl["actor"] })}
      />
      <Filter
        label={t("audit.col.act")}
        name={t("audit.col.act")}
        value={url.act}
        words={Object.fromEntries((acts.data ?? []).map((act) => [act, say.act(act)]))}
        choices={acts.data ?? []}
        onChange={(act) => onChange({ act })}
      />
      <Filter
        label={t("audit.col.result")}
        name={t("audit.col.result")}
        value={url.result}
        words={Object.fromEntries(auditResultChoices.map((result) => [result, t(auditResults[result].label)]))}
        choices={auditResultChoices}
        onChange={(result) => onChange({ result: result as AuditUrl["result"] })}
      />
      <Filter
        label={t("audit.role")}
        name={t("audit.role")}
        value={url.role}
        words={Object.fromEntries(auditRoleChoices.map((role) => [role, t(roleWords[role])]))}
        choices={auditRoleChoices}
        onChange={(role) => onChange({ role: role as AuditUrl["role"] })}
      />
      <span className="sp" />
      {isFiltered(url) && (
        <Button size="sm" look="quiet" onClick={() => onChange(noFilter)}>
          {t("delivery.clear")}
        </Button>
      )}
    </div>
  );
}

function Day(props: { label: string; value: string | null; min?: string | null; max?: string | null; onChange(day: string | null): void }) {
  const { label, value, min, max, onChange } = props;
  return (
    <label className="day">
      <span>{label}</span>
      <input
        type="date"
        value={value ?? ""}
        min={min ?? undefined}
        max={max ?? undefined}
        onChange={(event) => onChange(event.target.value || null)}
      />
    </label>
  );
}

type FilterProps = {
  label: string;
  name: string;
  value: string | null;
  words: Record<string, string>;
  choices: readonly string[];
  onChange(value: string | null): void;
};

/** A menu while nothing is chosen; a chip with the chosen word, which takes it away, beside it. */
function Filter({ label, name, value, words, choices, onChange }: FilterProps) {
  const t = useTranslations();
  if (value)
    return (
      <FilterChip name={name} onRemove={() => onChange(null)}>
        {words[value] ?? value}
      </FilterChip>
    );
  return (
    <Menu
      label={label}
      trigger={
        <button type="button" className="sel">
          {name}
          <Icon name="down" />
        </button>
      }
    >
      <MenuChoices
        label={label}
        value=""
        onChange={(next) => onChange(next || null)}
        choices={[{ value: "", label: t("audit.any") }, ...choices.map((choice) => ({ value: choice, label: words[choice] ?? choice }))]}
      />
    </Menu>
  );
}
