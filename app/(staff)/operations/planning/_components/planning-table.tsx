"use client";

import { useTranslations } from "next-intl";
import { Fragment } from "react";
import { StateWord } from "@/app/_components/state";
import { planningStates } from "@/app/_components/state-dictionary";
import type { OfferedPlanningRow } from "@/server/domain/operations/planning-types";
import type { QueueGroup } from "@/server/domain/operations/types";
import type { PlanningAction } from "@/server/domain/planning/next-actions";
import { type Clock, Effect, Reason, Target, Version, When } from "./planning-cells";
import { groupWords } from "./planning-dictionary";
import { PlanningRowButton } from "./planning-row-button";
import { PlanningRowResult } from "./planning-row-result";
import type { RowEnd } from "./use-row-ends";

type Props = {
  rows: OfferedPlanningRow[];
  counts: Record<QueueGroup, string | null>;
  openId: string | null;
  focusId: string | null;
  clock: Clock;
  ends: ReadonlyMap<string, RowEnd>;
  onOpen(id: string, action: PlanningAction | null): void;
  onFocusRow(id: string): void;
};

/** The queue as a real table with a heading row for each group. One row is in the tab order; j and k move it. */
export function PlanningTable({ rows, counts, openId, focusId, clock, ends, onOpen, onFocusRow }: Props) {
  const t = useTranslations();
  const wished = focusId ?? openId;
  const inTabOrder = rows.some(({ id }) => id === wished) ? wished : rows[0]?.id;
  return (
    <table className="q plan">
      <caption className="sr">{t("planning.queue")}</caption>
      <colgroup>
        <col className="c1" />
        <col className="c2 drop2" />
        <col className="c3" />
        <col />
        <col className="c5 drop1" />
        <col className="c6" />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">{t("delivery.col.target")}</th>
          <th scope="col" className="drop2">
            {t("planning.col.version")}
          </th>
          <th scope="col">{t("delivery.col.state")}</th>
          <th scope="col">{t("delivery.col.reason")}</th>
          <th scope="col" className="drop1">
            {t("planning.col.when")}
          </th>
          <th scope="col">{t("delivery.col.nextAction")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <Fragment key={row.id}>
            {row.group !== rows[i - 1]?.group && (
              <tr className="grp">
                <th colSpan={6} scope="rowgroup">
                  {t(groupWords[row.group])}
                  {counts[row.group] !== null && <span className="n num">{counts[row.group]}</span>}
                </th>
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
                <Target row={row} />
              </td>
              <td className="drop2">
                <Version row={row} />
              </td>
              <td>
                <span className="l1">
                  <StateWord entry={planningStates[row.state]} />
                </span>
                <span className="l2 ind">
                  <Effect row={row} clock={clock} />
                </span>
              </td>
              <td>
                <span className="why">
                  <Reason row={row} />
                </span>
              </td>
              <td className="drop1">
                <When row={row} clock={clock} />
              </td>
              <td className="ac">
                {ends.has(row.id) ? (
                  <PlanningRowResult end={ends.get(row.id) as RowEnd} />
                ) : (
                  <PlanningRowButton row={row} onOpen={onOpen} tabIndex={row.id === inTabOrder ? 0 : -1} />
                )}
              </td>
            </tr>
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}
