"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "next-intl";
import type { RefObject } from "react";
import { Icon } from "@/app/_components/icon";
import { FilterChip } from "@/app/_components/list/filter-chip";
import { NewRows } from "@/app/_components/list/new-rows";
import { ViewTabs } from "@/app/_components/list/saved-views";
import { SearchField } from "@/app/_components/list/search-field";
import { Menu, MenuChoices } from "@/app/_components/menu";
import { reasonWords } from "@/app/_components/reason-dictionary";
import { deliveryStates } from "@/app/_components/state-dictionary";
import type { MessageKey } from "@/app/_i18n/messages";
import { useTRPC } from "@/app/_trpc/client";
import type { DeliveryCounts } from "@/server/domain/operations/delivery-counts";
import { type DeliveryUrl, filterOfUrl, ranges, sameFilter, urlOfFilter, views } from "./delivery-url";

const viewWords: Record<(typeof views)[number], MessageKey> = {
  all: "delivery.view.all",
  decision: "delivery.view.decision",
  mine: "delivery.view.mine",
};

const rangeWords: Record<(typeof ranges)[number], MessageKey> = {
  "1h": "delivery.since.1h",
  "24h": "delivery.since.24h",
  "7d": "delivery.since.7d",
  all: "delivery.since.all",
};

type Props = {
  clinic: string | undefined;
  url: DeliveryUrl;
  onChange(next: Partial<DeliveryUrl>): void;
  counts: Pick<DeliveryCounts, "needsDecision" | "mine"> | undefined;
  newRows: number;
  onShowNew(): void;
  searchRef: RefObject<HTMLInputElement | null>;
};

/** Views, filters as chips, and the counter of rows that wait to be shown. */
export function DeliveryToolbar({ clinic, url, onChange, counts, newRows, onShowNew, searchRef }: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const consumers = useQuery(trpc.delivery.consumers.queryOptions({ clinic }, { staleTime: 60_000 }));
  const reasonOf = (code: string) => {
    const word = reasonWords[code];
    return word ? t(word).replace(/\.$/, "") : code;
  };
  return (
    <div className="tools">
      <ViewTabs
        screen="DELIVERY"
        clinic={clinic}
        filter={filterOfUrl(url)}
        isSame={sameFilter}
        fixed={views.map((view) => ({
          id: view,
          label: t(viewWords[view]),
          count: view === "all" ? undefined : view === "mine" ? counts?.mine : counts?.needsDecision,
          isChosen: url.view === view,
          onChoose: () => onChange({ view, state: [] }),
        }))}
        onOpen={(filter) => onChange(urlOfFilter(filter))}
      />
      <NewRows count={newRows} words={t("delivery.newRows", { count: newRows })} onShow={onShowNew} />
      {url.state.map((state) => (
        <FilterChip
          key={state}
          name={t("delivery.col.state")}
          of={t(deliveryStates[state].label)}
          onRemove={() => onChange({ state: url.state.filter((other) => other !== state) })}
        >
          {t(deliveryStates[state].label)}
        </FilterChip>
      ))}
      {url.consumer && (
        <FilterChip name={t("delivery.col.consumer")} of={url.consumer} onRemove={() => onChange({ consumer: null })}>
          {url.consumer}
        </FilterChip>
      )}
      {url.reason && (
        <FilterChip name={t("delivery.col.reason")} of={reasonOf(url.reason)} onRemove={() => onChange({ reason: null })}>
          {reasonOf(url.reason)}
        </FilterChip>
      )}
      <span className="sp" />
      <Link className="sel" prefetch={false} href={`/operations/delivery/groups${clinic ? `?clinic=${encodeURIComponent(clinic)}` : ""}`}>
        <Icon name="group" />
        {t("groups.title")}
      </Link>
      <Menu
        label={t("delivery.since.label")}
        align="end"
        trigger={
          <button type="button" className="sel">
            <Icon name="clock" />
            {t(url.since ? rangeWords[url.since] : "delivery.since.label")}
          </button>
        }
      >
        <MenuChoices
          label={t("delivery.since.label")}
          value={url.since ?? ""}
          onChange={(value) => onChange({ since: ranges.find((range) => range === value) ?? null })}
          choices={[
            { value: "", label: t("delivery.since.usual") },
            ...ranges.map((range) => ({ value: range, label: t(rangeWords[range]) })),
          ]}
        />
      </Menu>
      {(consumers.data?.length ?? 0) > 0 && (
        <Menu
          label={t("delivery.col.consumer")}
          align="end"
          trigger={
            <button type="button" className="sel">
              <Icon name="filter" />
              {t("delivery.filter")}
            </button>
          }
        >
          <MenuChoices
            label={t("delivery.col.consumer")}
            value={url.consumer ?? ""}
            onChange={(value) => onChange({ consumer: value || null })}
            choices={[
              { value: "", label: t("delivery.everyConsumer") },
              ...(consumers.data ?? []).map((name) => ({ value: name, label: name })),
            ]}
          />
        </Menu>
      )}
      <SearchField
        value={url.q}
        label={t("delivery.search")}
        hint={t("delivery.searchHint")}
        onSearch={(q) => onChange({ q })}
        inputRef={searchRef}
      />
    </div>
  );
}
