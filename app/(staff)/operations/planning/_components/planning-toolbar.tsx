"use client";

import { useTranslations } from "next-intl";
import type { RefObject } from "react";
import { FilterChip } from "@/app/_components/list/filter-chip";
import { NewRows } from "@/app/_components/list/new-rows";
import { ViewTabs } from "@/app/_components/list/saved-views";
import { SearchField } from "@/app/_components/list/search-field";
import { planningStates } from "@/app/_components/state-dictionary";
import type { MessageKey } from "@/app/_i18n/messages";
import type { PlanningCounts, PlanningTile } from "@/server/domain/operations/planning-types";
import { tileStates } from "./planning-dictionary";
import { filterOfUrl, type PlanningUrl, sameFilter, urlOfFilter, views } from "./planning-url";

const viewWords: Record<(typeof views)[number], MessageKey> = { all: "delivery.view.all", decision: "delivery.view.decision" };

type Props = {
  clinic: string | undefined;
  url: PlanningUrl;
  onChange(next: Partial<PlanningUrl>): void;
  counts: PlanningCounts | undefined;
  newRows: number;
  onShowNew(): void;
  searchRef: RefObject<HTMLInputElement | null>;
};

/** Views, filters as chips, and the counter of rows that wait to be shown. */
export function PlanningToolbar({ clinic, url, onChange, counts, newRows, onShowNew, searchRef }: Props) {
  const t = useTranslations();
  const wordOf = (tile: PlanningTile) => t(tile === "DEGRADED" ? "planning.degraded" : planningStates[tileStates[tile]].label);
  return (
    <div className="tools">
      <ViewTabs
        screen="PLANNING"
        clinic={clinic}
        filter={filterOfUrl(url)}
        isSame={sameFilter}
        fixed={views.map((view) => ({
          id: view,
          label: t(viewWords[view]),
          count: view === "decision" ? counts?.needsDecision : undefined,
          isChosen: url.view === view,
          onChoose: () => onChange({ view, state: [] }),
        }))}
        onOpen={(filter) => onChange(urlOfFilter(filter))}
      />
      <NewRows count={newRows} words={t("delivery.newRows", { count: newRows })} onShow={onShowNew} />
      {url.state.map((tile) => (
        <FilterChip
          key={tile}
          name={t("delivery.col.state")}
          of={wordOf(tile)}
          onRemove={() => onChange({ state: url.state.filter((other) => other !== tile) })}
        >
          {wordOf(tile)}
        </FilterChip>
      ))}
      <span className="sp" />
      <SearchField
        value={url.q}
        label={t("planning.search")}
        hint={t("planning.searchHint")}
        onSearch={(q) => onChange({ q })}
        inputRef={searchRef}
      />
    </div>
  );
}
