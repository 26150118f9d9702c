"use client";

import { useTranslations } from "next-intl";
import { useRef } from "react";
import { FilterChip } from "@/app/_components/list/filter-chip";
import { ListBody, type ListPages } from "@/app/_components/list/list-body";
import { ListFoot } from "@/app/_components/list/list-foot";
import { NewRows } from "@/app/_components/list/new-rows";
import { NoMatch } from "@/app/_components/list/no-match";
import { PaneHead } from "@/app/_components/list/pane-head";
import { PanelHead } from "@/app/_components/list/panel-head";
import { ViewTabs } from "@/app/_components/list/saved-views";
import { SearchField } from "@/app/_components/list/search-field";
import { LiveIndicator } from "@/app/_components/live-indicator";
import { StateWord } from "@/app/_components/state";
import { deliveryStates } from "@/app/_components/state-dictionary";
import { PlanningEmpty } from "@/app/(staff)/operations/planning/_components/planning-empty";
import { Part } from "./part";
import { QuietQueries, type Seed } from "./quiet-queries";
import { at, zone } from "./samples";

const nothing = () => {};
const pages: ListPages = {
  isPending: false,
  isError: false,
  isSuccess: true,
  isFetching: false,
  isFetchingNextPage: false,
  hasNextPage: false,
  refetch: nothing,
  fetchNextPage: nothing,
};
const bodies: { state: string; pages: ListPages; count: number }[] = [
  { state: "reading", pages: { ...pages, isPending: true, isSuccess: false, isFetching: true }, count: 0 },
  { state: "failed", pages: { ...pages, isError: true, isSuccess: false }, count: 0 },
  { state: "empty", pages, count: 0 },
  { state: "more", pages: { ...pages, hasNextPage: true }, count: 1 },
  { state: "reading more", pages: { ...pages, hasNextPage: true, isFetchingNextPage: true }, count: 1 },
];

/** A view of one's own, and one that the STAFF of the clinic share. */
const savedViews: Seed = (client, trpc) =>
  client.setQueryData(trpc.savedViews.list.queryKey({ clinic: undefined, screen: "DELIVERY" }), [
    { id: "a", name: "Gaps", clinicRef: null, ownerRef: "ST-000031", shared: false, isMine: true, filter: { reason: "SEQUENCE_GAP" } },
    {
      id: "b",
      name: "Reminders",
      clinicRef: "CL-203000",
      ownerRef: "ST-000032",
      shared: true,
      isMine: false,
      filter: { consumer: "reminder-planner-v1" },
    },
  ]);

/** What the screens with a list are made of. */
export function ListStates() {
  const t = useTranslations();
  const search = useRef<HTMLInputElement>(null);
  const words = {
    reading: t("delivery.reading"),
    failedTitle: t("delivery.failedTitle"),
    failed: t("delivery.failed"),
    more: t("delivery.more"),
  };
  return (
    <>
      <Part name="PaneHead, PanelHead">
        <div className="border border-line">
          <PaneHead title={t("nav.delivery")} sub={t("delivery.sub")}>
            <LiveIndicator state="live" lastMs={at} nowMs={at + 2000} zone={zone} />
          </PaneHead>
        </div>
        {["/operations/stories", null].map((story) => (
          <div key={story} className="border border-line" style={{ width: 400 }}>
            <PanelHead
              of="a"
              takesFocus={false}
              title="APT-7F3K00"
              state={story && <StateWord entry={deliveryStates.QUARANTINED} pill />}
              story={story}
              onClose={nothing}
              onStep={nothing}
            />
          </div>
        ))}
      </Part>
      <Part name="FilterChip, NewRows, SearchField">
        <div className="tools border border-line">
          <NewRows count={3} words={t("delivery.newRows", { count: 3 })} onShow={nothing} />
          <NewRows count={0} words="" onShow={nothing} />
          <FilterChip name={t("delivery.col.state")} onRemove={nothing}>
            {t(deliveryStates.QUARANTINED.label)}
          </FilterChip>
          <FilterChip name={t("delivery.col.consumer")} of="daily-load-v1" onRemove={nothing}>
            daily-load-v1
          </FilterChip>
        </div>
        <div className="tools border border-line">
          {["", "APT-7F3K00"].map((value) => (
            <SearchField
              key={value}
              value={value}
              label={t("delivery.search")}
              hint={t("delivery.searchHint")}
              onSearch={nothing}
              inputRef={search}
            />
          ))}
        </div>
      </Part>
      <Part name="ViewTabs">
        <QuietQueries seed={savedViews}>
          <div className="tools border border-line">
            <ViewTabs
              screen="DELIVERY"
              clinic={undefined}
              filter={{}}
              isSame={() => false}
              fixed={[
                { id: "all", label: t("delivery.view.all"), isChosen: true, onChoose: nothing },
                { id: "decision", label: t("delivery.view.decision"), count: 26, isChosen: false, onChoose: nothing },
              ]}
              onOpen={nothing}
            />
          </div>
        </QuietQueries>
      </Part>
      <Part name="NoMatch">
        <div className="border border-line">
          <NoMatch onClear={nothing} />
        </div>
      </Part>
      <Part name="ListBody, ListFoot">
        <div className="grid grid-cols-2 gap-2">
          {bodies.map((body) => (
            // rows on their way are longer than this box, and nothing in them takes the focus that would scroll them
            <div key={body.state} className="grid border border-line" style={{ height: 200 }} inert={body.state === "reading"}>
              <ListBody
                pages={body.pages}
                count={body.count}
                words={words}
                empty={<PlanningEmpty filtered={false} waiting={3} onClear={nothing} />}
              >
                <p className="p-4">{t("delivery.shown", { count: 1 })}</p>
              </ListBody>
            </div>
          ))}
          <div className="grid border border-line" style={{ height: 200 }}>
            <ListBody pages={pages} count={0} words={words} empty={<PlanningEmpty filtered waiting={3} onClear={nothing} />}>
              {null}
            </ListBody>
          </div>
        </div>
        {[t("delivery.updating"), t("delivery.shownOf", { shown: 50, count: 212 })].map((shown) => (
          <ListFoot
            key={shown}
            shown={shown}
            zone={t("evidence.zone", { zone })}
            hints={[
              ["J K", t("delivery.hint.move")],
              ["Enter", t("delivery.hint.open")],
            ]}
          />
        ))}
      </Part>
    </>
  );
}
