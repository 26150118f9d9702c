"use client";

import { useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import type { MessageKey } from "@/app/_i18n/messages";
import type { DeliveryAction } from "@/server/domain/inbox/next-actions";
import type { OfferedRow } from "@/server/domain/operations/queue-actions";
import { actionWords } from "./act-words";

type Props = {
  row: OfferedRow;
  /** Another row, or this one with the form of an action. */
  onOpen(id: string, action: DeliveryAction | null): void;
  tabIndex?: number;
  /** Drawn as a button whatever the group, where a thumb must find it. */
  onCard?: boolean;
};

/** The one button of a row. It opens the panel, where the act is confirmed: nothing is changed from within the queue. */
export function RowButton({ row, onOpen, tabIndex, onCard }: Props) {
  const t = useTranslations();
  if (row.state === "PROCESSING") return <span className="dim">{t("next.waitForLease")}</span>;
  const isBordered = onCard || row.group === "DECISION";
  const word = wordOf(row);
  return (
    <Button
      size="sm"
      look={isBordered ? "bordered" : "quiet"}
      className={isBordered ? undefined : "lk"}
      tabIndex={tabIndex}
      aria-label={`${t(word)}, ${row.appointmentRef ?? row.clinicRef}`}
      onClick={(event) => {
        event.stopPropagation();
        if (row.blockedBy) onOpen(`inbox.${row.blockedBy}`, null);
        else onOpen(row.id, row.main);
      }}
    >
      {t(word)}
    </Button>
  );
}

function wordOf(row: OfferedRow): MessageKey {
  if (row.blockedBy) return "next.openBlocker";
  return row.main ? actionWords[row.main] : "next.openEvidence";
}
