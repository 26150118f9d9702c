"use client";

import { useTranslations } from "next-intl";
import { type Column, GroupedTable, type GroupHead } from "@/app/_components/list/grouped-rows";
import { StateWord } from "@/app/_components/state";
import { planningStates } from "@/app/_components/state-dictionary";
import type { OfferedPlanningRow } from "@/server/domain/operations/planning-types";
import type { PlanningAction } from "@/server/domain/planning/next-actions";
import { type Clock, Effect, Reason, Target, Version, When } from "./planning-cells";
import { PlanningRowButton } from "./planning-row-button";
import { PlanningRowResult } from "./planning-row-result";
import type { RowEnd } from "./use-row-ends";

type Props = {
  rows: OfferedPlanningRow[];
  headOf: GroupHead;
  openId: string | null;
  focusId: string | null;
  clock: Clock;
  ends: ReadonlyMap<string, RowEnd>;
  onOpen(id: string, action: PlanningAction | null): void;
  onFocusRow(id: string): void;
};

export function PlanningTable({ clock, ends, onOpen, ...table }: Props) {
  const t = useTranslations();
  const columns: Column<OfferedPlanningRow>[] = [
    { key: "target", width: "c1", head: t("delivery.col.target"), cell: (row) => <Target row={row} /> },
    { key: "version", width: "c2", drop: "drop2", head: t("planning.col.version"), cell: (row) => <Version row={row} /> },
    { key: "state", width: "c3", head: t("delivery.col.state"), cell: (row) => <State row={row} clock={clock} /> },
    {
      key: "reason",
      head: t("delivery.col.reason"),
      cell: (row) => (
        <span className="why">
          <Reason row={row} />
        </span>
      ),
    },
    { key: "when", width: "c5", drop: "drop1", head: t("planning.col.when"), cell: (row) => <When row={row} clock={clock} /> },
    {
      key: "action",
      width: "c6",
      className: "ac",
      head: t("delivery.col.nextAction"),
      cell: (row, tabIndex) => {
        const end = ends.get(row.id);
        return end ? <PlanningRowResult end={end} /> : <PlanningRowButton row={row} onOpen={onOpen} tabIndex={tabIndex} />;
      },
    },
  ];
  return <GroupedTable {...table} caption={t("planning.queue")} className="q plan" columns={columns} onOpen={(id) => onOpen(id, null)} />;
}

function State({ row, clock }: { row: OfferedPlanningRow; clock: Clock }) {
  return (
    <>
      <span className="l1">
        <StateWord entry={planningStates[row.state]} />
      </span>
      <span className="l2 ind">
        <Effect row={row} clock={clock} />
      </span>
    </>
  );
}
