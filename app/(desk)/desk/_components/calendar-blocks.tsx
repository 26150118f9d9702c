"use client";

import clsx from "clsx";
import { useLocale, useTranslations } from "next-intl";
import { formatExactTime } from "@/app/_components/time";
import type { MessageKey } from "@/app/_i18n/messages";
import type { DeskBlock } from "@/server/domain/operations/desk-day";

export const blockWords: Record<DeskBlock["kind"], MessageKey> = {
  OUTSIDE_HOURS: "desk.block.OUTSIDE_HOURS",
  CLOSED: "desk.block.CLOSED",
  HOLIDAY: "desk.block.HOLIDAY",
  BREAK: "desk.block.BREAK",
  ABSENT: "desk.block.ABSENT",
  OUT_OF_SHIFT: "desk.block.OUT_OF_SHIFT",
  OUTAGE: "desk.block.OUTAGE",
};

/** The name of a break that nobody named (db/schema/clinics.ts). */
const unnamedBreak = "Break";

type Props = { blocks: DeskBlock[]; zone: string; columnId: string | null; y(ms: number): number };

/** Hatched time, always with its label: of one column, or of the whole clinic. */
export function CalendarBlocks({ blocks, zone, columnId, y }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const clock = (at: string) => formatExactTime(at, zone, "clock", locale);
  return blocks
    .filter((block) => block.columnId === columnId)
    .map((block) => {
      const height = y(Date.parse(block.until)) - y(Date.parse(block.from));
      const range = `${clock(block.from)}–${clock(block.until)}`;
      return (
        <div
          key={`${block.kind}.${block.from}.${block.label ?? ""}`}
          className={clsx("hz", columnId === null && "mid", height < 26 && "low")}
          style={{ top: y(Date.parse(block.from)), height, left: 0, right: 0 }}
        >
          <span>
            {t(blockWords[block.kind])} {range}
            {block.label && !(block.kind === "BREAK" && block.label === unnamedBreak) && `, ${block.label}`}
          </span>
        </div>
      );
    });
}
