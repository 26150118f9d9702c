"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useEffect, useRef, useState } from "react";
import { focusPanel } from "@/app/_components/list/focus-panel";
import { ListBody } from "@/app/_components/list/list-body";
import { PaneHead } from "@/app/_components/list/pane-head";
import { useOpenRow } from "@/app/_components/list/use-open-row";
import { LiveIndicator, type LiveState } from "@/app/_components/live-indicator";
import { epochMs } from "@/app/_components/time";
import { useKeys } from "@/app/_components/use-keys";
import { useServerNow } from "@/app/_components/use-now";
import { useOnline } from "@/app/_components/use-online";
import { useTRPC } from "@/app/_trpc/client";
import type { DeliveryAction } from "@/server/domain/inbox/next-actions";
import { BulkBar } from "./bulk-bar";
import { DeliveryToolbar } from "./delivery-toolbar";
import { filterOfUrl, sameFilter, type TileState, urlOfFilter } from "./delivery-url";
import { EvidencePanel } from "./evidence-panel";
import { groupTotals, queueTotal } from "./group-totals";
import { QueueCards } from "./queue-cards";
import { QueueEmpty } from "./queue-empty";
import { QueueFoot } from "./queue-foot";
import { QueueTable } from "./queue-table";
import { DeliveryTiles, tileOrder } from "./tiles";
import type { ActAnswer } from "./use-act";
import { useDeliveryUrl } from "./use-delivery-url";
import { useLiveQueue } from "./use-live-queue";
import { useRowEnds } from "./use-row-ends";
import { isSelectable, useSelection } from "./use-selection";
import { WorkerStrip } from "./worker-strip";

export function DeliveryScreen({ zones }: { zones: string[] }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const { url, setUrl, input } = useDeliveryUrl();
  const { clinic } = input;
  const online = useOnline();
  const counts = useQuery(trpc.delivery.counts.queryOptions({ clinic }, { refetchInterval: 5_000 }));
  const [holds, setHolds] = useState(false);
  const { pages, head, newRows, ...queue } = useLiveQueue(input, online && !holds);
  const { rows, ends, note } = useRowEnds(queue.rows);
  const selection = useSelection(rows);
  const hasSelection = selection.selected.length > 0;
  useEffect(() => setHolds(hasSelection), [hasSelection]); // what is selected does not change under the hand
  const client = useQueryClient();
  const [wanted, setWanted] = useState<{ action: DeliveryAction | null; takesFocus: boolean }>({ action: null, takesFocus: true });
  const search = useRef<HTMLInputElement>(null);
  const lastMs = head.data && epochMs(head.data.asOf);
  const nowMs = useServerNow(lastMs, head.dataUpdatedAt);
  const clock = { nowMs, manyZones: zones.length > 1 };
  const live: LiveState = !online ? "offline" : head.isError ? "reconnecting" : newRows > 0 || holds ? "paused" : "live";
  const groups = groupTotals(counts.data, url);
  const filtered = !sameFilter(filterOfUrl(url), {});

  const open = (id: string, action: DeliveryAction | null = null) => {
    setWanted({ action, takesFocus: true });
    setUrl({ row: id });
  };
  const { focusId, setFocusId, focusRow, neighbour, close, move, step } = useOpenRow({
    rows,
    openId: url.row,
    scope: clinic,
    onOpen: (id) => (id ? open(id) : setUrl({ row: null })),
  });
  const readAgain = () => {
    client.invalidateQueries(trpc.delivery.counts.queryFilter());
    client.invalidateQueries(trpc.delivery.head.queryFilter());
    client.invalidateQueries(trpc.delivery.needsDecision.queryFilter());
  };
  /** The result stays on its row, and the next row is open and has the focus. A note ends nothing, so it stays where it was written. */
  const onDone = (id: string, action: DeliveryAction, { status, body }: ActAnswer) => {
    note(id, action, status, body);
    readAgain();
    const next = action === "addNote" ? undefined : neighbour(1, id);
    setWanted({ action: null, takesFocus: next === undefined || next === id || isNarrow() });
    if (!next || next === id) return focusPanel();
    setUrl({ row: next });
    focusRow(next);
  };
  const toggle = (state: TileState) =>
    setUrl({ view: "all", state: url.state.includes(state) ? url.state.filter((other) => other !== state) : [...url.state, state] });
  // a key is a wish that the panel follows once its evidence is read: one pressed a moment too early is not lost
  const act = (action: DeliveryAction) => {
    if (url.row) setWanted((before) => ({ ...before, action }));
    else if (focusId) open(focusId, action);
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: (event) => {
      const row = rows.find(({ id }) => id === focusId);
      if (row && isSelectable(row)) event.shiftKey ? selection.extend(row.id) : selection.toggle(row.id);
    },
    a: () => act("assign"),
    q: () => act("keepQuarantined"),
    s: () => act("scheduleRetry"),
    t: () => act("addNote"),
    r: () => act("reviewReplay"),
    escape: () => (url.row ? close() : selection.clear()),
    "/": (event) => {
      event.preventDefault();
      search.current?.focus();
    },
    ...Object.fromEntries(tileOrder.map((state, i) => [String(i + 1), () => toggle(state)])),
  });
  // A changed scope is another queue: what was selected belongs to the old one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the scope decides
  useEffect(() => selection.clear(), [clinic]);

  return (
    <main className={url.row ? "main" : "main full"} id="content" data-open={url.row ? "" : undefined}>
      <section className="pane" aria-label={t("nav.delivery")}>
        <PaneHead title={t("nav.delivery")} sub={t("delivery.sub")}>
          <LiveIndicator state={live} lastMs={lastMs} nowMs={nowMs} zone={zones[0] ?? "UTC"} />
        </PaneHead>
        <DeliveryTiles counts={counts.data} failed={counts.isError} pressed={url.state} onToggle={toggle} />
        <WorkerStrip clinic={clinic} zone={zones[0] ?? "UTC"} manyZones={clock.manyZones} live={online} />
        <DeliveryToolbar
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
            reading: t("delivery.reading"),
            failedTitle: t("delivery.failedTitle"),
            failed: t("delivery.failed"),
            more: t("delivery.more"),
          }}
          empty={<QueueEmpty filtered={filtered} counts={counts.data} nowMs={nowMs} onClear={() => setUrl(urlOfFilter({}))} />}
        >
          <QueueTable
            rows={rows}
            counts={groups}
            isRange={url.since !== null}
            openId={url.row}
            focusId={focusId}
            clock={clock}
            selection={selection}
            ends={ends}
            onOpen={open}
            onFocusRow={setFocusId}
          />
          <QueueCards rows={rows} counts={groups} isRange={url.since !== null} clock={clock} ends={ends} onOpen={open} />
        </ListBody>
        {hasSelection && (
          <BulkBar
            rows={selection.selected}
            onClear={selection.clear}
            onDone={(action, results) => {
              for (const { id, status, body } of results) note(id, action, status, body);
              selection.clear();
              readAgain();
            }}
          />
        )}
        <QueueFoot updating={pages.isPlaceholderData} shown={rows.length} total={queueTotal(groups, url.view)} zones={zones} />
      </section>
      {url.row && (
        <EvidencePanel
          id={url.row}
          clinic={clinic}
          online={online}
          wanted={wanted.action}
          takesFocus={wanted.takesFocus}
          onStarted={() => setWanted((before) => ({ ...before, action: null }))}
          onDone={onDone}
          onClose={close}
          onOpen={open}
          onStep={step}
        />
      )}
    </main>
  );
}

/** Where the panel is a page of its own, there is no row beside it that could have the focus. */
const isNarrow = (): boolean => window.matchMedia("(max-width: 767px)").matches;
