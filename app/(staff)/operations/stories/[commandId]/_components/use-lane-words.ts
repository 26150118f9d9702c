"use client";

import { useTranslations } from "next-intl";
import type { StoryHead } from "@/server/domain/operations/story-types";

/** Name of each column and what was counted in it, in the order of the columns. */
export function useLaneWords(head: StoryHead): { name: string; counted: string }[] {
  const t = useTranslations();
  const { counts, consumers } = head;
  const rows = counts.events - counts.left;
  const left = counts.left > 0 ? t("story.counted.left", { count: counts.left }) : "";
  const inOutbox = rows > 0 || !left ? t("story.counted.events", { count: rows }) : "";
  return [
    { name: t("story.lane.calls"), counted: t("delivery.calls", { count: counts.calls }) },
    { name: t("story.lane.key"), counted: head.key ? t("story.counted.key") : t("story.counted.keyOver") },
    { name: t("story.lane.change"), counted: t("story.counted.changes", { count: counts.changes }) },
    { name: t("story.lane.intent"), counted: t("story.counted.intents", { count: counts.intents }) },
    { name: t("story.lane.event"), counted: [inOutbox, left].filter(Boolean).join(", ") },
    { name: t("story.lane.audit"), counted: "" },
    { name: t("story.lane.log"), counted: t("story.counted.published", { count: counts.published }) },
    ...consumers.map((one) => ({
      name: one.consumer,
      counted: t("story.counted.consumer", { count: one.deliveries - one.duplicates, duplicates: one.duplicates }),
    })),
    { name: t("story.lane.sending"), counted: t("story.counted.sent", { count: counts.sent }) },
    ...(counts.replays > 0 ? [{ name: t("story.lane.replay"), counted: t("story.counted.replays", { count: counts.replays }) }] : []),
  ];
}
