"use client";

import { useTranslations } from "next-intl";
import { GroupedCards, type GroupHead } from "@/app/_components/list/grouped-rows";
import { Ref } from "@/app/_components/ref";
import { StateWord } from "@/app/_components/state";
import { planningStates } from "@/app/_components/state-dictionary";
import type { OfferedPlanningRow } from "@/server/domain/operations/planning-types";
import type { PlanningAction } from "@/server/domain/planning/next-actions";
import { Dates } from "./dates";
import { type Clock, Effect, Reason, Version, When } from "./planning-cells";
import { PlanningRowButton } from "./planning-row-button";
import { PlanningRowResult } from "./planning-row-result";
import type { RowEnd } from "./use-row-ends";

type Props = {
  rows: OfferedPlanningRow[];
  headOf: GroupHead;
  clock: Clock;
  ends: ReadonlyMap<string, RowEnd>;
  onOpen(id: string, action: PlanningAction | null): void;
};

/** A card each: state, reason, both versions, one action with a thumb-sized target. */
export function PlanningCards({ rows, headOf, clock, ends, onOpen }: Props) {
  const t = useTranslations();
  return (
    <GroupedCards className="cards plan" rows={rows} headOf={headOf} onOpen={(id) => onOpen(id, null)}>
      {(row) => (
        <>
          <div className="r1">
            {row.kind === "run" ? <Ref>{row.ref}</Ref> : <b>{t("planning.messages")}</b>}
            <StateWord entry={planningStates[row.state]} />
            <span className="nx">
              <When row={row} clock={clock} />
            </span>
          </div>
          <p className="why2">
            <Reason row={row} />
          </p>
          {row.kind === "run" && row.versions && (
            <div>
              <Version row={row} />
            </div>
          )}
          <div className="r3">
            <div className="m">
              <Ref>{row.clinicRef}</Ref>
              {row.kind === "run" && (
                <>
                  {" · "}
                  <Dates of={row} />
                </>
              )}
              <br />
              <Effect row={row} clock={clock} />
            </div>
            {ends.has(row.id) ? (
              <PlanningRowResult end={ends.get(row.id) as RowEnd} />
            ) : (
              <PlanningRowButton row={row} onOpen={onOpen} onCard />
            )}
          </div>
        </>
      )}
    </GroupedCards>
  );
}
