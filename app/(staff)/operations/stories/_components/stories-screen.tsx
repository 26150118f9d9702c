"use client";

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import { ListBody } from "@/app/_components/list/list-body";
import { ListFoot } from "@/app/_components/list/list-foot";
import { PaneHead } from "@/app/_components/list/pane-head";
import { SearchField } from "@/app/_components/list/search-field";
import { EmptyState } from "@/app/_components/notice";
import { useKeys } from "@/app/_components/use-keys";
import { useTRPC } from "@/app/_trpc/client";
import { storiesParsers } from "./stories-url";
import { StoryLines } from "./story-lines";

/** The list of commands: read when it opens or is asked again, so that it stands still while somebody reads. */
export function StoriesScreen() {
  const t = useTranslations();
  const trpc = useTRPC();
  const router = useRouter();
  const [url, setUrl] = useQueryStates(storiesParsers, { history: "push", scroll: false });
  const [focusId, setFocusId] = useState<string | null>(null);
  const search = useRef<HTMLInputElement>(null);
  const pages = useInfiniteQuery({
    ...trpc.stories.list.infiniteQueryOptions(
      { clinic: url.clinic ?? undefined, search: url.q.trim() || undefined },
      { getNextPageParam: (page) => page.next ?? undefined, initialCursor: null },
    ),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const lines = pages.data?.pages.flatMap((page) => page.lines) ?? [];
  const hrefOf = (id: string) => `/operations/stories/${id}${url.clinic ? `?clinic=${encodeURIComponent(url.clinic)}` : ""}`;
  const move = (by: 1 | -1) => {
    const at = lines.findIndex((line) => line.commandId === focusId);
    const next = lines[Math.min(lines.length - 1, Math.max(0, at + by))];
    if (!next) return;
    setFocusId(next.commandId);
    document.querySelector<HTMLElement>(`[data-row="${CSS.escape(next.commandId)}"]`)?.focus();
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    "/": (event) => {
      event.preventDefault();
      search.current?.focus();
    },
  });
  return (
    <main className="main full" id="content">
      <section className="pane" aria-label={t("nav.stories")}>
        <PaneHead title={t("nav.stories")} sub={t("story.sub")} />
        <div className="tools">
          <Button size="sm" icon="recalc" busy={pages.isRefetching} onClick={() => pages.refetch()}>
            {t("action.readAgain")}
          </Button>
          <span className="sp" />
          <SearchField
            value={url.q}
            label={t("story.search")}
            hint={t("delivery.searchHint")}
            onSearch={(q) => setUrl({ q })}
            inputRef={search}
          />
        </div>
        <ListBody
          pages={pages}
          count={lines.length}
          words={{
            reading: t("story.readingList"),
            failedTitle: t("story.failedTitle"),
            failed: t("evidence.failed"),
            more: t("delivery.more"),
          }}
          empty={
            <EmptyState
              glyph={url.q ? "filter" : "check"}
              title={t(url.q ? "story.noMatchTitle" : "story.emptyTitle")}
              action={
                url.q ? (
                  <Button size="sm" onClick={() => setUrl({ q: "" })}>
                    {t("delivery.clear")}
                  </Button>
                ) : undefined
              }
            >
              {t(url.q ? "story.noMatch" : "story.empty")}
            </EmptyState>
          }
        >
          <StoryLines lines={lines} hrefOf={hrefOf} focusId={focusId} onFocus={setFocusId} onOpen={(id) => router.push(hrefOf(id))} />
        </ListBody>
        <ListFoot
          shown={pages.isPlaceholderData ? t("delivery.updating") : t("story.shown", { count: lines.length })}
          hints={[
            ["J K", t("delivery.hint.move")],
            ["Enter", t("delivery.hint.open")],
          ]}
        />
      </section>
    </main>
  );
}
