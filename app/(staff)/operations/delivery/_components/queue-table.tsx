"use client";

import { useTranslations } from "next-intl";
import { Fragment } from "react";
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

export const groupWords: Record<QueueGroup, MessageKey> = {
  DECISION: "delivery.group.DECISION",
  WAITING: "delivery.group.WAITING",
  SETTLED: "delivery.group.SETTLED",
};

type Props = {
  rows: OfferedRow[];
  counts: GroupTotals;
  /** A time range is asked for, so that what settled is not of the last 24 hours. */
  isRange: boolean;
  openId: string | null;
  focusId: string | null;
  clock: Clock;
  selection: Selection;
  ends: ReadonlyMap<string, RowEnd>;
  onOpen(id: string, action: DeliveryAction | null): void;
  onFocusRow(id: string): void;
};

/** The queue as a real table with a heading row for each group. One row is in the tab order; j and k move it. */
export function QueueTable({ rows, counts, isRange, openId, focusId, clock, selection, ends, onOpen, onFocusRow }: Props) {
  const t = useTranslations();
  const inTabOrder = focusId ?? openId ?? rows[0]?.id;
  const { selected, selectable } = selection;
  const all = selected.length === 0 ? false : selected.length === selectable.length ? true : "mixed";
  return (
    <table className="q">
      <caption className="sr">{t("delivery.queue")}</caption>
      <colgroup>
        <col className="c0" />
        <col className="c1" />
        <col className="c2 drop2" />
        <col className="c3" />
        <col />
        <col className="c5 drop1" />
        <col className="c6" />
        <col className="c7" />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">
            {selectable.length > 0 ? (
              <Checkbox checked={all} label={t("bulk.all", { count: selectable.length })} onToggle={selection.toggleAll} />
            ) : (
              <span className="sr">{t("bulk.column")}</span>
            )}
          </th>
          <th scope="col">{t("delivery.col.target")}</th>
          <th scope="col" className="drop2">
            {t("delivery.col.consumer")}
          </th>
          <th scope="col">{t("delivery.col.state")}</th>
          <th scope="col">{t("delivery.col.reason")}</th>
          <th scope="col" className="drop1">
            {t("delivery.col.attempts")}
          </th>
          <th scope="col">{t("delivery.col.nextAttempt")}</th>
          <th scope="col">{t("delivery.col.nextAction")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <Fragment key={row.id}>
            {row.group !== rows[i - 1]?.group && (
              <tr className="grp">
                <th colSpan={6} scope="rowgroup">
                  {t(isRange && row.group === "SETTLED" ? "delivery.settled" : groupWords[row.group])}
                  {counts[row.group] !== null && <span className="n num">{t("number", { value: counts[row.group] ?? 0 })}</span>}
                </th>
                {/* columns that a narrow page drops: spanned, they would still take a share of its width */}
                <td className="drop2" />
                <td className="drop1" />
              </tr>
            )}
            <tr
              data-row={row.id}
              aria-selected={row.id === openId}
              tabIndex={row.id === inTabOrder ? 0 : -1}
              onFocus={() => onFocusRow(row.id)}
              onClick={() => onOpen(row.id, null)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && event.target === event.currentTarget) onOpen(row.id, null);
              }}
            >
              <td>
                {isSelectable(row) && (
                  <Checkbox
                    checked={selection.ids.has(row.id)}
                    label={t("bulk.select", { ref: row.appointmentRef ?? row.clinicRef })}
                    tabIndex={row.id === inTabOrder ? 0 : -1}
                    onToggle={(shift) => (shift ? selection.extend(row.id) : selection.toggle(row.id))}
                  />
                )}
              </td>
              <td>
                <span className="l1 b6">{row.appointmentRef ? <Ref>{row.appointmentRef}</Ref> : t(noVisitWord(row.kind))}</span>
                <span className="l2">
                  <Change row={row} />
                  <span className="only2"> · {row.consumer}</span>
                </span>
              </td>
              <td className="drop2">
                <Consumer row={row} />
              </td>
              <td>
                <span className="l1">
                  <StateWord entry={queueStates[row.state]} />
                </span>
                <span className="l2 ind">
                  <Effect row={row} />
                </span>
              </td>
              <td>
                <span className="why">
                  <Reason row={row} />
                </span>
              </td>
              <td className="drop1">
                <Attempts row={row} />
              </td>
              <td>
                <NextAttempt row={row} clock={clock} />
              </td>
              <td className="ac">
                {ends.has(row.id) ? (
                  <RowResult end={ends.get(row.id) as RowEnd} />
                ) : (
                  <RowButton row={row} onOpen={onOpen} tabIndex={row.id === inTabOrder ? 0 : -1} />
                )}
              </td>
            </tr>
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}
