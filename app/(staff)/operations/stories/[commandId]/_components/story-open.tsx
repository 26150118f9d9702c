"use client";

import Link from "next/link";
import { useTranslations } from "next-intl";
import { Notice } from "@/app/_components/notice";
import { reasonWords } from "@/app/_components/reason-dictionary";
import { distance, epochMs } from "@/app/_components/time";
import type { StoryHead, StoryOpen } from "@/server/domain/operations/story-types";
import { useApart } from "../../_components/use-apart";

type Props = { head: StoryHead; nowMs: number | undefined; clinic: string | undefined };

/** Every gap by name: what has not happened yet, for how long, and whether it goes on by itself. */
export function StoryOpenWork({ head, nowMs, clinic }: Props) {
  const t = useTranslations();
  if (head.open.length === 0) return null;
  return (
    <ul className="gaps" aria-label={t("story.notFinished")}>
      {head.open.map((open) => (
        <li key={`${open.what}.${open.by}.${open.since}`}>
          <Notice glyph={isStopped(open) ? "hold" : "wait"} family={isStopped(open) ? "hold" : "wait"}>
            <Gap open={open} nowMs={nowMs ?? epochMs(head.asOf)} />{" "}
            {open.rowId && (
              <Link
                className="lk"
                prefetch={false}
                href={`/operations/delivery?${new URLSearchParams({ ...(clinic ? { clinic } : {}), row: open.rowId })}`}
              >
                {t("next.openEvidence")}
              </Link>
            )}
          </Notice>
        </li>
      ))}
    </ul>
  );
}

/** Does not go on by itself. */
export const isStopped = ({ state }: StoryOpen): boolean => ["FAILED", "QUARANTINED", "EXHAUSTED", "UNKNOWN"].includes(state);

function Gap({ open, nowMs }: { open: StoryOpen; nowMs: number }) {
  const t = useTranslations();
  const apart = useApart();
  const age = apart(nowMs - epochMs(open.since));
  const word = open.reasonCode ? reasonWords[open.reasonCode] : undefined;
  const why = word ? t(word) : open.reasonCode ? t("delivery.reasonCode", { code: open.reasonCode }) : "";
  const leftMs = open.nextAt ? epochMs(open.nextAt) - nowMs : null;
  const left = leftMs === null ? null : distance(leftMs);
  const next = !left
    ? ""
    : (leftMs ?? 0) <= 0
      ? t("story.gap.due")
      : t("story.gap.next", { time: t(`time.in.${left.unit}`, { count: left.count }) });
  const by = open.by ?? "";
  const text = {
    publish: () => t(open.state === "FAILED" ? "story.gap.publishFailed" : "story.gap.publish", { age }),
    take: () => t("story.gap.take", { age }),
    consume: () => {
      if (open.state === "QUARANTINED") return t("story.gap.quarantined", { by, age });
      if (open.state === "BLOCKED_BY") return t("story.gap.behind", { by, age });
      return open.state === "PROCESSING" ? t("story.gap.processing", { by, age }) : t("story.gap.retry", { by, age });
    },
    send: () => {
      if (open.state === "EXHAUSTED") return t("story.gap.exhausted", { age });
      if (open.state === "UNKNOWN") return t("story.gap.unknown", { age });
      return t("story.gap.send", { age });
    },
  }[open.what]();
  return <>{[text, open.state === "BLOCKED_BY" ? "" : why, next].filter(Boolean).join(" ")}</>;
}
