"use client";

import { useTranslations } from "next-intl";
import { type Column, GroupedTable, type GroupHead } from "@/app/_components/list/grouped-rows";
import { Ref } from "@/app/_components/ref";
import { StateWord } from "@/app/_components/state";
import type { MessageKey } from "@/app/_i18n/messages";
import type { DeliveryAction } from "@/server/domain/inbox/next-actions";
import type { OfferedRow } from "@/server/domain/operations/queue-actions";
import type { QueueGroup } from "@/server/domain/operations/types";
import { Checkbox } from "./checkbox";
import type { GroupTotals } from "./group-totals";
import { Attempts, Change, type Clock, Consumer, Effect, NextAttempt, Reason } from "./queue-cells";
import { RowButton } from "./row-button";
import { type RowEnd, RowResult } from "./row-result";
import { isSelectable, type Selection } from "./use-selection";
import { noVisitWord, queueStates } from "./words";

const groupWords: Record<QueueGroup, MessageKey> = {
  DECISION: "delivery.group.DECISION",
  WAITING: "delivery.group.WAITING",
  SETTLED: "delivery.group.SETTLED",
};

/** Titles of the groups. `isRange`: a time range is asked for, so that what settled is not of the last 24 hours. */
export function useGroupHead(counts: GroupTotals, isRange: boolean): GroupHead {
  const t = useTranslations();
  return (group) => ({
    title: t(isRange && group === "SETTLED" ? "delivery.settled" : groupWords[group]),
    count: counts[group] === null ? null : t("number", { value: counts[group] }),
  });
}

type Props = {
  rows: OfferedRow[];
  counts: GroupTotals;
  isRange: boolean;
  openId: string | null;
  focusId: string | null;
  clock: Clock;
  selection: Selection;
  ends: ReadonlyMap<string, RowEnd>;
  onOpen(id: string, action: DeliveryAction | null): void;
  onFocusRow(id: string): void;
};

export function QueueTable({ rows, counts, isRange, openId, focusId, clock, selection, ends, onOpen, onFocusRow }: Props) {
  const t = useTranslations();
  const columns: Column<OfferedRow>[] = [
    {
      key: "select",
      width: "c0",
      head: <SelectAll selection={selection} />,
      cell: (row, tabIndex) =>
        isSelectable(row) && (
          <Checkbox
            checked={selection.ids.has(row.id)}
            label={t("bulk.select", { ref: row.appointmentRef ?? row.clinicRef })}
            tabIndex={tabIndex}
            onToggle={(shift) => (shift ? selection.extend(row.id) : selection.toggle(row.id))}
          />
        ),
    },
    { key: "target", width: "c1", head: t("delivery.col.target"), cell: (row) => <Target row={row} /> },
    { key: "consumer", width: "c2", drop: "drop2", head: t("delivery.col.consumer"), cell: (row) => <Consumer row={row} /> },
    { key: "state", width: "c3", head: t("delivery.col.state"), cell: (row) => <State row={row} /> },
    {
      key: "reason",
      head: t("delivery.col.reason"),
      cell: (row) => (
        <span className="why">
          <Reason row={row} />
        </span>
      ),
    },
    { key: "attempts", width: "c5", drop: "drop1", head: t("delivery.col.attempts"), cell: (row) => <Attempts row={row} /> },
    { key: "next", width: "c6", head: t("delivery.col.nextAttempt"), cell: (row) => <NextAttempt row={row} clock={clock} /> },
    {
      key: "action",
      width: "c7",
      className: "ac",
      head: t("delivery.col.nextAction"),
      cell: (row, tabIndex) => {
        const end = ends.get(row.id);
        return end ? <RowResult end={end} /> : <RowButton row={row} onOpen={onOpen} tabIndex={tabIndex} />;
      },
    },
  ];
  return (
    <GroupedTable
      caption={t("delivery.queue")}
      columns={columns}
      rows={rows}
      headOf={useGroupHead(counts, isRange)}
      openId={openId}
      focusId={focusId}
      onOpen={(id) => onOpen(id, null)}
      onFocusRow={onFocusRow}
    />
  );
}

function SelectAll({ selection: { selected, selectable, toggleAll } }: { selection: Selection }) {
  const t = useTranslations();
  if (selectable.length === 0) return <span className="sr">{t("bulk.column")}</span>;
  const all = selected.length === 0 ? false : selected.length === selectable.length ? true : "mixed";
  return <Checkbox checked={all} label={t("bulk.all", { count: selectable.length })} onToggle={toggleAll} />;
}

function Target({ row }: { row: OfferedRow }) {
  const t = useTranslations();
  return (
    <>
      <span className="l1 b6">{row.appointmentRef ? <Ref>{row.appointmentRef}</Ref> : t(noVisitWord(row.kind))}</span>
      <span className="l2">
        <Change row={row} />
        <span className="only2"> · {row.consumer}</span>
      </span>
    </>
  );
}

function State({ row }: { row: OfferedRow }) {
  return (
    <>
      <span className="l1">
        <StateWord entry={queueStates[row.state]} />
      </span>
      <span className="l2 ind">
        <Effect row={row} />
      </span>
    </>
  );
}
