"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useRef } from "react";
import { ListBody } from "@/app/_components/list/list-body";
import { ListFoot } from "@/app/_components/list/list-foot";
import { PaneHead } from "@/app/_components/list/pane-head";
import { useRowActs } from "@/app/_components/list/use-row-acts";
import { LiveIndicator, type LiveState } from "@/app/_components/live-indicator";
import { epochMs } from "@/app/_components/time";
import { useKeys } from "@/app/_components/use-keys";
import { useServerNow } from "@/app/_components/use-now";
import { useOnline } from "@/app/_components/use-online";
import { useTRPC } from "@/app/_trpc/client";
import type { PlanningTile } from "@/server/domain/operations/planning-types";
import type { PlanningAction } from "@/server/domain/planning/next-actions";
import { DaysMenu } from "./days-menu";
import { MovesView } from "./moves-view";
import { type KnownClinic, NewCalculation } from "./new-calculation";
import { PlanningCards } from "./planning-cards";
import { PlanningEmpty } from "./planning-empty";
import { PlanningPanel } from "./planning-panel";
import { PlanningTable } from "./planning-table";
import { PlanningTiles } from "./planning-tiles";
import { PlanningToolbar } from "./planning-toolbar";
import { isFiltered, isPart, planningInput, planningParsers, tileOrder, urlOfFilter } from "./planning-url";
import { useChosenMoves } from "./use-chosen-moves";
import { useGroupHead } from "./use-group-head";
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
  const chosen = useChosenMoves(url.row);
  const search = useRef<HTMLInputElement>(null);
  const acts = useRowActs<PlanningAction>({ rows, openId: url.row, scope: clinic, onRow: (row) => setUrl({ row }) });
  const lastMs = head.data && epochMs(head.data.asOf);
  const nowMs = useServerNow(lastMs, head.dataUpdatedAt);
  const zones = [...new Set(clinics.map(({ zone }) => zone))];
  const zone = zones[0] ?? "UTC";
  const clock = { nowMs, manyZones: zones.length > 1 };
  const live: LiveState = !online ? "offline" : head.isError ? "reconnecting" : newRows > 0 ? "paused" : "live";
  const headOf = useGroupHead(counts.data, isPart(url));

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
    acts.goOn(id);
  };
  const toggle = (tile: PlanningTile) =>
    setUrl({ view: "all", state: url.state.includes(tile) ? url.state.filter((other) => other !== tile) : [...url.state, tile] });
  useKeys({
    j: () => acts.move(1),
    k: () => acts.move(-1),
    d: () => acts.ask("recalculate"), // the act itself still asks for its confirm,
    o: () => acts.focusId && acts.openRow(acts.focusId),
    escape: () => url.row && acts.close(),
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
          <DaysMenu zone={zone} days={url.days} onChange={(days) => setUrl({ days })} />
          <NewCalculation clinics={clinics} daysMax={daysMax} onAsked={readAgain} onOpen={(id) => acts.openRow(id)} />
        </PaneHead>
        <PlanningTiles counts={counts.data} failed={counts.isError} zone={zone} pressed={url.state} onToggle={toggle} />
        <PlanningToolbar
          clinic={clinic}
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
          empty={<PlanningEmpty filtered={isFiltered(url)} waiting={counts.data?.waiting ?? 0} onClear={() => setUrl(urlOfFilter({}))} />}
        >
          <PlanningTable
            rows={rows}
            headOf={headOf}
            openId={url.row}
            focusId={acts.focusId}
            clock={clock}
            ends={ends}
            onOpen={acts.openRow}
            onFocusRow={acts.setFocusId}
          />
          <PlanningCards rows={rows} headOf={headOf} clock={clock} ends={ends} onOpen={acts.openRow} />
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
          wanted={acts.wanted.action}
          takesFocus={acts.wanted.takesFocus}
          chosen={chosen}
          onStarted={acts.onStarted}
          onDone={onDone}
          onClose={acts.close}
          onOpen={(id) => acts.openRow(id)}
          onStep={acts.step}
        />
      )}
    </main>
  );
}
