"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { useLocale, useTranslations } from "next-intl";
import { parseAsBoolean, useQueryState } from "nuqs";
import { Icon } from "@/app/_components/icon";
import { StateMark } from "@/app/_components/state";
import { formatOffset, formatTime, zonedParts } from "@/app/_components/time";
import { useTRPC } from "@/app/_trpc/client";
import { useApart } from "@/app/(staff)/operations/stories/_components/use-apart";
import type { RoleHealth, WorkerHealth } from "@/server/domain/operations/worker-health";
import { roleNames } from "./words";
import { WorkerTable } from "./worker-table";

/** How often heartbeats are read: with the bound of silence, a dead worker stands here within 15 s. */
const everyMs = 2_500;

type Props = { clinic: string | undefined; zone: string; manyZones: boolean; live: boolean };

/** Whether the background work lives and what waits for it, in one line. Silence is said as silence, never as an empty backlog. */
export function WorkerStrip({ clinic, zone, manyZones, live }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const trpc = useTRPC();
  const apart = useApart();
  const [open, setOpen] = useQueryState("workers", parseAsBoolean.withDefault(false)); // other screens lead to the opened table
  const query = useQuery(trpc.workers.health.queryOptions({ clinic }, { refetchInterval: live ? everyMs : false, staleTime: 0 }));
  const health = query.data;
  // what was read before says nothing about now: workers that cannot be asked are not called running
  if (!health || query.isError) {
    return (
      <div className="wstrip" aria-busy={query.isPending || undefined}>
        {query.isPending ? t("worker.reading") : t("worker.failed")}
        {health && <span className="num">{t("worker.asOf", { at: formatTime(health.asOf, zone, "seconds", locale) })}</span>}
      </div>
    );
  }
  const silent = health.roles.filter(isDown);
  const paused = health.roles.filter((role) => role.state === "PAUSED");
  const behind = health.lag.some((one) => one.behind === null) ? null : health.lag.reduce((sum, one) => sum + (one.behind ?? 0), 0);
  const oldest = oldestOf(health);
  return (
    <section className="wsec" aria-label={t("worker.title")}>
      <div className={clsx("wstrip", silent.length > 0 && "bad")}>
        {silent.length === 0 && paused.length === 0 && (
          <StateMark glyph="done" family="done">
            {t("worker.allBeat", { count: health.roles.length })}
          </StateMark>
        )}
        {silent.map((role) => (
          <StateMark key={role.role} glyph="fail" family="hold">
            {endedWords(role)}
          </StateMark>
        ))}
        {paused.map((role) => (
          <StateMark key={role.role} glyph="pause" family="wait">
            {t("worker.paused", { name: t(roleNames[role.role]), code: role.outage ?? "–" })}
          </StateMark>
        ))}
        <span className="num">
          {health.toPublish.count === 0
            ? t(silent.some((role) => role.role === "outbox-relay") ? "worker.publishUnknown" : "worker.publishNone")
            : t("worker.publish", { count: health.toPublish.count, age: apart((health.toPublish.oldestSeconds ?? 0) * 1000) })}
        </span>
        <span className="num">{behind === null ? t("worker.lagUnknown") : t("worker.lag", { count: behind })}</span>
        <span className="num">{oldest === null ? t("worker.nothingWaits") : t("worker.oldest", { age: apart(oldest * 1000) })}</span>
        <span className="sp" />
        <button type="button" className="btn sm quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t("worker.details")}
          <Icon name={open ? "up" : "down"} />
        </button>
      </div>
      {open && <WorkerTable health={health} zone={zone} />}
    </section>
  );

  function endedWords(role: RoleHealth): string {
    const name = t(roleNames[role.role]);
    if (role.state === "NEVER" || !role.lastBeatAt) return t("worker.never", { name });
    const clock = formatTime(role.lastBeatAt, zone, "seconds", locale);
    const at = manyZones ? `${clock} ${formatOffset(zonedParts(role.lastBeatAt, zone).offsetMinutes)}` : clock;
    return role.state === "STOPPED" ? t("worker.stopped", { name, at }) : t("worker.silent", { name, at });
  }
}

const isDown = ({ state }: RoleHealth): boolean => state === "SILENT" || state === "STOPPED" || state === "NEVER";

function oldestOf({ toPublish, toConsume, toSend }: WorkerHealth): number | null {
  const ages = [toPublish, toConsume, toSend].flatMap((waiting) => waiting.oldestSeconds ?? []);
  return ages.length === 0 ? null : Math.max(...ages);
}
