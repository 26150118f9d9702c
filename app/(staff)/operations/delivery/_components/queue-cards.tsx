"use client";

import { useTranslations } from "next-intl";
import { GroupedCards } from "@/app/_components/list/grouped-rows";
import { Ref } from "@/app/_components/ref";
import { StateWord } from "@/app/_components/state";
import type { DeliveryAction } from "@/server/domain/inbox/next-actions";
import type { OfferedRow } from "@/server/domain/operations/queue-actions";
import type { GroupTotals } from "./group-totals";
import { type Clock, Effect, NextAttempt, Reason } from "./queue-cells";
import { useGroupHead } from "./queue-table";
import { RowButton } from "./row-button";
import { type RowEnd, RowResult } from "./row-result";
import { noVisitWord, queueStates } from "./words";

type Props = {
  rows: OfferedRow[];
  counts: GroupTotals;
  /** A time range is asked for, so that what settled is not of the last 24 hours. */
  isRange: boolean;
  clock: Clock;
  ends: ReadonlyMap<string, RowEnd>;
  onOpen(id: string, action: DeliveryAction | null): void;
};

/** A card each: state, reason, one action with a thumb-sized target. */
export function QueueCards({ rows, counts, isRange, clock, ends, onOpen }: Props) {
  const t = useTranslations();
  return (
    <GroupedCards rows={rows} headOf={useGroupHead(counts, isRange)} onOpen={(id) => onOpen(id, null)}>
      {(row) => (
        <>
          <div className="r1">
            {row.appointmentRef ? <Ref>{row.appointmentRef}</Ref> : <span>{t(noVisitWord(row.kind))}</span>}
            <StateWord entry={queueStates[row.state]} />
            <span className="nx">
              <NextAttempt row={row} clock={clock} />
            </span>
          </div>
          <p className="why2">
            <Reason row={row} />
          </p>
          <div className="r3">
            <div className="m">
              {row.consumer ?? t(row.kind === "outbox" ? "boundary.outbox" : "boundary.http")}, <Ref>{row.clinicRef}</Ref>
              <br />
              {row.attempts !== null && row.attemptsMax !== null && t("attempts.sentence", { used: row.attempts, max: row.attemptsMax })}
              {row.calls !== null && t("delivery.calls", { count: row.calls })}
              {(row.kept || row.assigneeRef) && (
                <>
                  {" · "}
                  <Effect row={row} />
                </>
              )}
            </div>
            {ends.has(row.id) ? <RowResult end={ends.get(row.id) as RowEnd} /> : <RowButton row={row} onOpen={onOpen} onCard />}
          </div>
        </>
      )}
    </GroupedCards>
  );
}
