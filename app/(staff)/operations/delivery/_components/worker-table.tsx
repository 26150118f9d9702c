"use client";

import { useLocale, useTranslations } from "next-intl";
import { StateMark } from "@/app/_components/state";
import { Time } from "@/app/_components/time";
import type { MessageKey } from "@/app/_i18n/messages";
import { useApart } from "@/app/(staff)/operations/stories/_components/use-apart";
import type { ConsumerLag } from "@/server/domain/operations/consumer-lag";
import type { RoleHealth, Waiting, WorkerHealth } from "@/server/domain/operations/worker-health";
import { roleNames } from "./words";

const states: Record<RoleHealth["state"], { glyph: "done" | "pause" | "fail"; family: "done" | "wait" | "hold"; word: MessageKey }> = {
  RUNNING: { glyph: "done", family: "done", word: "worker.state.RUNNING" },
  PAUSED: { glyph: "pause", family: "wait", word: "worker.state.PAUSED" },
  STOPPED: { glyph: "fail", family: "hold", word: "worker.state.STOPPED" },
  SILENT: { glyph: "fail", family: "hold", word: "worker.state.SILENT" },
  NEVER: { glyph: "fail", family: "hold", word: "worker.state.NEVER" },
};

/** Every role with its last heartbeat, and what waits for it. */
export function WorkerTable({ health, zone }: { health: WorkerHealth & { lag: ConsumerLag[] }; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  const apart = useApart();
  const waits = ({ count, oldestSeconds }: Waiting) =>
    count === 0 ? t("worker.nothing") : t("worker.waits", { count, age: apart((oldestSeconds ?? 0) * 1000) });
  const backlog: Partial<Record<RoleHealth["role"], string>> = {
    "outbox-relay": waits(health.toPublish),
    "retry-scheduler": waits(health.toConsume),
    "notification-dispatch": waits(health.toSend),
    "appointment-consumers": health.lag
      .map(({ consumer, behind }) =>
        behind === null ? t("worker.lagOfUnknown", { consumer }) : t("worker.lagOf", { consumer, count: behind }),
      )
      .join(" · "),
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
    <section className="wtable" tabIndex={0} aria-label={t("worker.details")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("worker.role")}</th>
            <th scope="col">{t("delivery.col.state")}</th>
            <th scope="col">
              {t("worker.lastBeat")}, {zone}
            </th>
            <th scope="col">{t("worker.backlog")}</th>
          </tr>
        </thead>
        <tbody>
          {health.roles.map((role) => (
            <tr key={role.role}>
              <th scope="row">{t(roleNames[role.role])}</th>
              <td>
                <StateMark glyph={states[role.state].glyph} family={states[role.state].family}>
                  {t(states[role.state].word)}
                </StateMark>
              </td>
              <td className="num">
                {role.lastBeatAt && role.silentSeconds !== null ? (
                  <>
                    <Time at={role.lastBeatAt} zone={zone} as="seconds" locale={locale} />{" "}
                    <span className="dim">{t("worker.before", { age: apart(role.silentSeconds * 1000) })}</span>
                  </>
                ) : (
                  "–"
                )}
              </td>
              <td className="num">{backlog[role.role] || "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
