"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { focusShown } from "@/app/_components/focus-shown";
import { ListBody } from "@/app/_components/list/list-body";
import { ListFoot } from "@/app/_components/list/list-foot";
import { EmptyState } from "@/app/_components/notice";
import { epochMs } from "@/app/_components/time";
import { useKeys } from "@/app/_components/use-keys";
import { useServerNow } from "@/app/_components/use-now";
import { useTRPC } from "@/app/_trpc/client";
import { GroupsTable } from "./groups-table";
import { groupsParsers } from "./groups-url";
import { JobsPanel } from "./jobs-panel";

/** Reason groups by size. j and k walk them; Enter opens the rows of one. */
export function GroupsScreen() {
  const t = useTranslations();
  const trpc = useTRPC();
  const [url, setUrl] = useQueryStates(groupsParsers);
  const clinic = url.clinic ?? undefined;
  const pages = useInfiniteQuery(
    trpc.delivery.groups.infiniteQueryOptions(
      { clinic },
      { getNextPageParam: (page) => page.next ?? undefined, initialCursor: null, refetchInterval: 10_000 },
    ),
  );
  const [focusId, setFocusId] = useState<string | null>(null);
  // a group whose count moves while pages are read may come twice: the first place counts
  const groups = [...new Map((pages.data?.pages.flatMap((page) => page.groups) ?? []).map((group) => [group.id, group])).values()];
  const total = pages.data?.pages[0]?.total;
  const asOf = pages.data?.pages[0]?.asOf;
  const nowMs = useServerNow(asOf === undefined ? undefined : epochMs(asOf), pages.dataUpdatedAt);
  const move = (by: 1 | -1) => {
    const at = groups.findIndex(({ id }) => id === focusId);
    const next = groups[Math.min(groups.length - 1, Math.max(0, at + by))];
    if (!next) return;
    setFocusId(next.id);
    focusShown(`[data-row="${CSS.escape(next.id)}"]`);
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  const back = `/operations/delivery${clinic ? `?clinic=${encodeURIComponent(clinic)}` : ""}`;
  const zones = [...new Set(groups.map(({ zone }) => zone))];
  return (
    <main className="main withjobs" id="content">
      <section className="pane" aria-label={t("groups.title")}>
        <div className="phead">
          <Link className="dim" href={back}>
            {t("nav.delivery")}
          </Link>
          <span className="dim" aria-hidden="true">
            /
          </span>
          <h1>{t("groups.title")}</h1>
          <span className="sub">{t("groups.sub")}</span>
        </div>
        <ListBody
          pages={pages}
          count={groups.length}
          words={{
            reading: t("groups.reading"),
            failedTitle: t("delivery.failedTitle"),
            failed: t("groups.failed"),
            more: t("groups.more"),
          }}
          empty={<EmptyState glyph="check" title={t("groups.empty")} />}
        >
          <GroupsTable
            groups={groups}
            focusId={focusId}
            nowMs={nowMs}
            openId={url.group}
            onFocusRow={setFocusId}
            onOpenForm={(group) => setUrl({ group })}
          />
        </ListBody>
        <ListFoot
          shown={total && t("groups.shown", { shown: groups.length, groups: total.groups, rows: total.rows })}
          zone={
            zones.length === 0 ? undefined : zones.length === 1 ? t("evidence.zone", { zone: zones[0] ?? "" }) : t("delivery.manyZones")
          }
          hints={[
            ["J K", t("delivery.hint.move")],
            ["Enter", t("groups.show")],
          ]}
        />
      </section>
      <JobsPanel clinic={clinic} />
    </main>
  );
}
