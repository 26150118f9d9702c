"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useRef } from "react";
import { Button } from "@/app/_components/button";
import { ListBody } from "@/app/_components/list/list-body";
import { ListFoot } from "@/app/_components/list/list-foot";
import { PaneHead } from "@/app/_components/list/pane-head";
import { useOpenRow } from "@/app/_components/list/use-open-row";
import { LiveIndicator, type LiveState } from "@/app/_components/live-indicator";
import { EmptyState } from "@/app/_components/notice";
import { epochMs } from "@/app/_components/time";
import { useKeys } from "@/app/_components/use-keys";
import { useServerNow } from "@/app/_components/use-now";
import { useOnline } from "@/app/_components/use-online";
import { useTRPC } from "@/app/_trpc/client";
import { AuditChainBar } from "./audit-chain-bar";
import { AuditPanel } from "./audit-panel";
import { AuditTable } from "./audit-table";
import { AuditToolbar } from "./audit-toolbar";
import { auditInput, auditParsers, isFiltered, noFilter } from "./audit-url";
import { ExportAudit } from "./export-audit";
import { useLiveAudit } from "./use-live-audit";

/** The audit: chain, filters, entries and one open entry. Everything that decides what is shown stands in the address. */
export function AuditScreen({ zones }: { zones: string[] }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const [url, setUrl] = useQueryStates(auditParsers, { history: "push", scroll: false });
  const input = auditInput(url);
  const zone = zones[0] ?? "UTC";
  const online = useOnline();
  const { pages, head, rows, newRows } = useLiveAudit(input, online);
  const counted = useQuery(trpc.audit.count.queryOptions(input, { staleTime: 5_000 }));
  const open = (id: string | null) => setUrl({ entry: id });
  const { focusId, setFocusId, close, move, step } = useOpenRow({ rows, openId: url.entry, scope: input.clinic, onOpen: open });
  const search = useRef<HTMLInputElement>(null);
  const lastMs = head.data && epochMs(head.data.asOf);
  const nowMs = useServerNow(lastMs, head.dataUpdatedAt);
  const live: LiveState = !online ? "offline" : head.isError ? "reconnecting" : newRows > 0 ? "paused" : "live";
  const showNew = () => {
    pages.refetch();
    counted.refetch();
    document.querySelector(".scroll")?.scrollTo({ top: 0 });
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    escape: () => url.entry && close(),
    "/": (event) => {
      event.preventDefault();
      search.current?.focus();
    },
  });

  return (
    <main className={url.entry ? "main" : "main full"} id="content" data-open={url.entry ? "" : undefined}>
      <section className="pane" aria-label={t("nav.audit")}>
        <PaneHead title={t("nav.audit")} sub={t("audit.sub")}>
          <LiveIndicator state={live} lastMs={lastMs} nowMs={nowMs} zone={zone} />
          <ExportAudit input={input} counted={counted.data} onDone={showNew} />
        </PaneHead>
        <AuditChainBar clinic={input.clinic} zone={zone} live={online} />
        <AuditToolbar
          clinic={input.clinic}
          url={url}
          onChange={(next) => setUrl(next)}
          searchRef={search}
          newRows={newRows}
          onShowNew={showNew}
        />
        <ListBody
          pages={pages}
          count={rows.length}
          words={{ reading: t("audit.reading"), failedTitle: t("audit.failedTitle"), failed: t("evidence.failed"), more: t("audit.more") }}
          empty={
            <EmptyState
              glyph="filter"
              title={t("audit.noMatchTitle")}
              action={
                isFiltered(url) ? (
                  <Button size="sm" onClick={() => setUrl(noFilter)}>
                    {t("delivery.clear")}
                  </Button>
                ) : undefined
              }
            >
              {t("audit.noMatch")}
            </EmptyState>
          }
        >
          <AuditTable rows={rows} zone={zone} openId={url.entry} focusId={focusId} onOpen={open} onFocusRow={setFocusId} />
        </ListBody>
        <ListFoot
          shown={pages.isPlaceholderData ? t("delivery.updating") : <Shown rows={rows.length} counted={counted.data} />}
          zone={t(zones.length > 1 ? "audit.zones" : "audit.zone", { zone })}
          hints={[
            ["J K", t("delivery.hint.move")],
            ["Enter", t("delivery.hint.open")],
            ["/", t("audit.hintFilter")],
          ]}
        />
      </section>
      {url.entry && (
        <AuditPanel
          id={url.entry}
          clinic={input.clinic}
          zone={zone}
          onClose={close}
          onShowRelated={(of) => setUrl({ ...noFilter, of })}
          onStep={step}
        />
      )}
    </main>
  );
}

function Shown({ rows, counted }: { rows: number; counted: { count: number; isMore: boolean } | undefined }) {
  const t = useTranslations();
  if (!counted) return <>{t("audit.count", { count: rows })}</>;
  return <>{t(counted.isMore ? "audit.shownOfMore" : "audit.shownOf", { shown: rows, count: counted.count })}</>;
}
