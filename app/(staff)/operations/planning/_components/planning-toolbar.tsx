"use client";

import { useTranslations } from "next-intl";
import type { RefObject } from "react";
import { FilterChip } from "@/app/_components/list/filter-chip";
import { NewRows } from "@/app/_components/list/new-rows";
import { SearchField } from "@/app/_components/list/search-field";
import { planningStates } from "@/app/_components/state-dictionary";
import type { MessageKey } from "@/app/_i18n/messages";
import type { PlanningCounts, PlanningTile } from "@/server/domain/operations/planning-types";
import { tileStates } from "./planning-dictionary";
import { type PlanningUrl, views } from "./planning-url";

const viewWords: Record<(typeof views)[number], MessageKey> = { all: "delivery.view.all", decision: "delivery.view.decision" };

type Props = {
  url: PlanningUrl;
  onChange(next: Partial<PlanningUrl>): void;
  counts: PlanningCounts | undefined;
  newRows: number;
  onShowNew(): void;
  searchRef: RefObject<HTMLInputElement | null>;
};

/** Views, filters as chips, and the counter of rows that wait to be shown. */
export function PlanningToolbar({ url, onChange, counts, newRows, onShowNew, searchRef }: Props) {
  const t = useTranslations();
  const wordOf = (tile: PlanningTile) => t(tile === "DEGRADED" ? "planning.degraded" : planningStates[tileStates[tile]].label);
  return (
    <div className="tools">
      <div className="views" role="tablist" aria-label={t("delivery.views")}>
        {views.map((view) => (
          <button
            key={view}
            type="button"
            role="tab"
            className="view"
            aria-selected={url.view === view}
            onClick={() => onChange({ view, state: [] })}
          >
            {t(viewWords[view])}
            {counts && view === "decision" && <span className="n">{t("number", { value: counts.needsDecision })}</span>}
          </button>
        ))}
      </div>
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
