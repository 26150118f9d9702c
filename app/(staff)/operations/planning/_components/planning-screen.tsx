"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useRef, useState } from "react";
import { focusPanel } from "@/app/_components/list/focus-panel";
import { ListBody } from "@/app/_components/list/list-body";
import { ListFoot } from "@/app/_components/list/list-foot";
import { PaneHead } from "@/app/_components/list/pane-head";
import { useOpenRow } from "@/app/_components/list/use-open-row";
import { LiveIndicator, type LiveState } from "@/app/_components/live-indicator";
import { epochMs } from "@/app/_components/time";
import { useKeys } from "@/app/_components/use-keys";
import { useServerNow } from "@/app/_components/use-now";
import { useOnline } from "@/app/_components/use-online";
import { useTRPC } from "@/app/_trpc/client";
import type { PlanningTile } from "@/server/domain/operations/planning-types";
import type { PlanningAction } from "@/server/domain/planning/next-actions";
import { MovesView } from "./moves-view";
import { type KnownClinic, NewCalculation } from "./new-calculation";
import { PlanningCards } from "./planning-cards";
import { PlanningEmpty } from "./planning-empty";
import { PlanningPanel } from "./planning-panel";
import { PlanningTable } from "./planning-table";
import { PlanningTiles } from "./planning-tiles";
import { PlanningToolbar } from "./planning-toolbar";
import { isFiltered, noFilter, planningInput, planningParsers, tileOrder } from "./planning-url";
import { useChosenMoves } from "./use-chosen-moves";
import { useLivePlanning } from "./use-live-planning";
import type { PlanAnswer } from "./use-plan-act";
import { useRowEnds } from "./use-row-ends";

/** Planning: what was calculated, against what, and what may be done about it. Everything that decides what is shown stands in the address. */
export function PlanningScreen({ clinics, daysMax }: { clinics: KnownClinic[]; daysMax: number }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const client = useQueryClient();
  const [url, setUrl] = useQueryStates(planningParsers, { history: "push", scroll: false });
  const input = planningInput(url);
  const { clinic } = input;
  const online = useOnline();
  const counts = useQuery(trpc.planningViews.counts.queryOptions({ clinic }, { refetchInterval: online ? 5_000 : false }));
  const { pages, head, rows, newRows } = useLivePlanning(input, online);
  const { ends, note } = useRowEnds();
  const [wanted, setWanted] = useState<{ action: PlanningAction | null; takesFocus: boolean }>({ action: null, takesFocus: true });
  const chosen = useChosenMoves(url.row);
  const search = useRef<HTMLInputElement>(null);
  const open = useOpenRow({
    rows,
    openId: url.row,
    scope: clinic,
    onOpen: (row) => {
      setWanted({ action: null, takesFocus: true });
      setUrl({ row });
    },
  });
  const lastMs = head.data && epochMs(head.data.asOf);
  const nowMs = useServerNow(lastMs, head.dataUpdatedAt);
  const zones = [...new Set(clinics.map(({ zone }) => zone))];
  const zone = zones[0] ?? "UTC";
  const clock = { nowMs, manyZones: zones.length > 1 };
  const live: LiveState = !online ? "offline" : head.isError ? "reconnecting" : newRows > 0 ? "paused" : "live";
  const groups = {
    DECISION: counts.data ? t("number", { value: counts.data.needsDecision }) : null,
    WAITING: counts.data ? t("number", { value: counts.data.waiting }) : null,
    SETTLED: counts.data ? t("planning.appliedIn24h", { count: counts.data.applied.count }) : null,
  };

  const openRow = (id: string, action: PlanningAction | null = null) => {
    setWanted({ action, takesFocus: true });
    setUrl({ row: id });
  };
  /** All but the pages of the queue: its rows stay where they are until the reader asks for the new ones. */
  const readAgain = () => {
    client.invalidateQueries(trpc.planningViews.counts.queryFilter());
    client.invalidateQueries(trpc.planningViews.head.queryFilter());
    client.invalidateQueries(trpc.planningViews.needsDecision.queryFilter());
    client.invalidateQueries(trpc.planningViews.evidence.queryFilter());
    client.invalidateQueries(trpc.planningViews.moves.infiniteQueryFilter());
  };
  /** The result stays on its row, and the next row is open and has the focus. */
  const onDone = (id: string, action: PlanningAction, answer: PlanAnswer) => {
    note(id, action, answer);
    readAgain();
    const next = open.neighbour(1, id);
    const stays = next === undefined || next === id;
    setWanted({ action: null, takesFocus: stays || isNarrow() });
    if (stays) return focusPanel();
    setUrl({ row: next });
    open.focusRow(next);
  };
  const toggle = (tile: PlanningTile) =>
    setUrl({ view: "all", state: url.state.includes(tile) ? url.state.filter((other) => other !== tile) : [...url.state, tile] });
  // a key is a wish that the panel follows once its evidence is read; the act itself still asks for its confirm
  const act = (action: PlanningAction) => {
    const id = url.row ?? open.focusId;
    if (id) openRow(id, action);
  };
  useKeys({
    j: () => open.move(1),
    k: () => open.move(-1),
    d: () => act("recalculate"),
    o: () => open.focusId && openRow(open.focusId),
    escape: () => url.row && open.close(),
    "/": (event) => {
      event.preventDefault();
      search.current?.focus();
    },
    ...Object.fromEntries(tileOrder.map((tile, i) => [String(i + 1), () => toggle(tile)])),
  });

  return (
    <main className={url.row ? "main" : "main full"} id="content" data-open={url.row ? "" : undefined}>
      <section className="pane" aria-label={t("nav.planning")}>
        <PaneHead title={t("nav.planning")} sub={t("planning.sub")}>
          <LiveIndicator state={live} lastMs={lastMs} nowMs={nowMs} zone={zone} />
          <NewCalculation clinics={clinics} daysMax={daysMax} onAsked={readAgain} onOpen={(id) => openRow(id)} />
        </PaneHead>
        <PlanningTiles counts={counts.data} failed={counts.isError} zone={zone} pressed={url.state} onToggle={toggle} />
        <PlanningToolbar
          url={url}
          onChange={(next) => setUrl(next)}
          counts={counts.data}
          newRows={newRows}
          onShowNew={() => {
            pages.refetch();
            document.querySelector(".scroll")?.scrollTo({ top: 0 });
          }}
          searchRef={search}
        />
        <ListBody
          pages={pages}
          count={rows.length}
          words={{
            reading: t("planning.reading"),
            failedTitle: t("delivery.failedTitle"),
            failed: t("delivery.failed"),
            more: t("delivery.more"),
          }}
          empty={<PlanningEmpty filtered={isFiltered(url)} waiting={counts.data?.waiting ?? 0} onClear={() => setUrl(noFilter)} />}
        >
          <PlanningTable
            rows={rows}
            counts={groups}
            openId={url.row}
            focusId={open.focusId}
            clock={clock}
            ends={ends}
            onOpen={openRow}
            onFocusRow={open.setFocusId}
          />
          <PlanningCards rows={rows} counts={groups} clock={clock} ends={ends} onOpen={openRow} />
        </ListBody>
        {url.row?.startsWith("run.") && <MovesView key={url.row} id={url.row} clinic={clinic} place="inpane" chosen={chosen} />}
        <ListFoot
          shown={pages.isPlaceholderData ? t("delivery.updating") : t("delivery.shown", { count: rows.length })}
          zone={zones.length === 1 ? t("evidence.zone", { zone }) : t("delivery.manyZones")}
          hints={[
            ["J K", t("delivery.hint.move")],
            ["Enter", t("delivery.hint.open")],
            ["D", t("planning.hint.recalculate")],
            ["O", t("planning.hint.open")],
          ]}
        />
      </section>
      {url.row && (
        <PlanningPanel
          id={url.row}
          clinic={clinic}
          online={online}
          wanted={wanted.action}
          takesFocus={wanted.takesFocus}
          chosen={chosen}
          onStarted={() => setWanted((before) => ({ ...before, action: null }))}
          onDone={onDone}
          onClose={open.close}
          onOpen={(id) => openRow(id)}
          onStep={open.step}
        />
      )}
    </main>
  );
}

/** Where the panel is a page of its own, there is no row beside it that could have the focus. */
const isNarrow = (): boolean => window.matchMedia("(max-width: 767px)").matches;
