"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { LiveIndicator, type LiveState } from "@/app/_components/live-indicator";
import { EmptyState, Notice } from "@/app/_components/notice";
import { epochMs } from "@/app/_components/time";
import { useKeys } from "@/app/_components/use-keys";
import { useServerNow } from "@/app/_components/use-now";
import { useOnline } from "@/app/_components/use-online";
import { useTRPC } from "@/app/_trpc/client";
import type { DrillName } from "@/server/domain/drills/catalog";
import { DrillPanel } from "./drill-panel";
import { DrillsTable } from "./drills-table";
import { drillsParsers } from "./drills-url";
import { isUnderWay, type ListedDrill } from "./listed-drill";
import { useDrillCommand } from "./use-drill-command";

/** Every drill with its last run, and one of them open. Read each second while one is under way. */
export function DrillsScreen({ zone }: { zone: string }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const online = useOnline();
  const [url, setUrl] = useQueryStates(drillsParsers, { history: "push", scroll: false });
  const clinic = url.clinic ?? undefined;
  const [said, setSaid] = useState<{ text: string; isRefusal: boolean }>();
  const list = useQuery(
    trpc.drills.list.queryOptions(
      { clinic },
      { refetchInterval: (query) => (query.state.data?.drills.some(isUnderWay) ? 1_000 : 5_000), enabled: online },
    ),
  );
  const lastMs = list.data && epochMs(list.data.asOf);
  const nowMs = useServerNow(lastMs, list.dataUpdatedAt);
  const live: LiveState = !online ? "offline" : list.isError ? "reconnecting" : "live";
  const command = useDrillCommand((answer, { act }) => {
    const ref = String(answer.body.ref ?? "");
    if (answer.status >= 300) setSaid({ text: t("drill.refused", { title: String(answer.body.title ?? "") }), isRefusal: true });
    else if (act === "stop") setSaid(undefined);
    else setSaid({ text: act === "start" ? t("drill.asked", { ref }) : t("drill.record.done", { ref }), isRefusal: false });
    void list.refetch();
  });
  const drills = list.data?.drills ?? [];
  const opened = drills.find(({ name }) => name === url.drill);
  const focusOn = (name: string) => setTimeout(() => document.querySelector<HTMLElement>(`[data-drill="${name}"]`)?.focus());
  const close = () => {
    const { drill } = url;
    setUrl({ drill: null });
    if (drill) focusOn(drill); // focus returns to the row, once the panel is gone
  };
  const start = (drill: ListedDrill) => {
    if (!list.data || drill.startedFrom !== "page") return;
    command.send({ act: "start", clinicId: list.data.clinicId, drill: drill.name as never });
    setUrl({ drill: drill.name });
  };
  useKeys({ escape: () => url.drill && close() });

  return (
    <main className={opened ? "main" : "main full"} id="content" data-open={opened ? "" : undefined}>
      <section className="pane drills" aria-label={t("nav.drills")}>
        <div className="phead">
          <h1>{t("nav.drills")}</h1>
          <span className="sub">{t("drill.sub")}</span>
          <LiveIndicator state={live} lastMs={lastMs} nowMs={nowMs} zone={zone} />
        </div>
        <div className="syn">
          <Icon name="flask" />
          <span>{t("drill.scope")}</span>
          <span className="sp" />
          <span className="dim">{t("drill.summary", summaryOf(drills))}</span>
        </div>
        <div role="status">{said && !said.isRefusal && <Notice glyph="info">{said.text}</Notice>}</div>
        {said?.isRefusal && (
          <Notice glyph="warn" family="wait" alert>
            {said.text}
          </Notice>
        )}
        {command.phase === "unanswered" && (
          <Notice glyph="warn" family="wait" alert>
            {t("drill.unanswered")}{" "}
            <Button size="sm" onClick={command.retry}>
              {t("drill.tryAgain")}
            </Button>
          </Notice>
        )}
        <div className="scroll">
          {list.isError && drills.length === 0 ? (
            <EmptyState glyph="off" title={t("drill.failedTitle")} alert>
              {t("drill.failed")}
            </EmptyState>
          ) : (
            <DrillsTable
              drills={drills}
              openName={url.drill}
              zone={zone}
              nowMs={nowMs}
              online={online}
              isSending={command.phase !== "idle"}
              onOpen={(drill: DrillName) => setUrl({ drill })}
              onStart={start}
            />
          )}
        </div>
        <div className="foot">
          <span>{t("drill.zone", { zone })}</span>
          <span className="sp" />
          <span>{t.rich("drill.commandLine", { command: () => <code className="ref">npm run drill -- all</code> })}</span>
        </div>
      </section>
      {opened && list.data && (
        <DrillPanel
          key={opened.name}
          drill={opened}
          clinic={clinic}
          zone={zone}
          online={online}
          isSending={command.phase !== "idle"}
          onClose={close}
          onStart={() => start(opened)}
          onStop={(run) => list.data && command.send({ act: "stop", clinicId: list.data.clinicId, run })}
          onRecord={(change) => list.data && command.send({ act: "record", clinicId: list.data.clinicId, drill: opened.name, change })}
        />
      )}
    </main>
  );
}

function summaryOf(drills: ListedDrill[]) {
  return {
    count: drills.length,
    running: drills.filter(isUnderWay).length,
    failed: drills.filter(({ run }) => run?.state === "FAILED").length,
    never: drills.filter(({ run }) => !run).length,
  };
}
