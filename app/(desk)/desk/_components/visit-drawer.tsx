"use client";

import { useLocale, useTranslations } from "next-intl";
import { useEffect, useRef } from "react";
import { Button, IconButton } from "@/app/_components/button";
import { KeyValue, KeyValueList } from "@/app/_components/key-value";
import { Notice } from "@/app/_components/notice";
import { Ref } from "@/app/_components/ref";
import { StateWord } from "@/app/_components/state";
import { appointmentStates } from "@/app/_components/state-dictionary";
import { formatExactTime } from "@/app/_components/time";
import type { DeskDay, DeskVisit } from "@/server/domain/operations/desk-day";
import type { Hold } from "./hold";
import type { DeskCommand } from "./pending-command";
import { RefusalNotice } from "./refusal-notice";
import { SafeRetry } from "./safe-retry";
import type { useKeyedCommand } from "./use-keyed-command";
import { VisitActions } from "./visit-actions";
import { History, type VisitHistory } from "./visit-history";

type Props = {
  day: DeskDay;
  visit: DeskVisit;
  /** What the person has seen of it; commands name this version. */
  version: string;
  /** False: the shown day no longer has it. */
  isListed: boolean;
  history: VisitHistory;
  /** Why nothing can be sent now, with the way out of it. */
  hold: Hold | null;
  command: ReturnType<typeof useKeyedCommand>;
  refusal: (Record<string, unknown> & { code?: string }) | null;
  /** What the last command did, in a sentence. */
  said: string;
  /** The last command was a change of state by this desk, which one click takes back. */
  canUndo: boolean;
  /** Counts this desk's answered commands: each begins with empty forms. */
  answered: number;
  onCommand(command: DeskCommand): void;
  onMove(): void;
  onClose(): void;
};

/** One visit: what it is, what may be done with it now and why the rest may not, and every change so far. */
export function VisitDrawer(props: Props) {
  const { day, visit, version, isListed, history, hold, command, refusal, said, canUndo, answered, onCommand, onMove, onClose } = props;
  const t = useTranslations();
  const locale = useLocale();
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another visit is another reading
  useEffect(() => heading.current?.focus(), [visit.id]);
  const { zone } = day.clinic;
  const status = isListed ? visit.status : (history.data?.at(-1)?.toStatus ?? visit.status);
  const undo = visit.actions.undo;
  const doctor = day.columns.find((column) => column.id === visit.doctorId)?.name ?? "";
  const things = visit.equipment.map((use) => day.columns.find((column) => column.id === use.equipmentId)?.name).filter(Boolean);
  return (
    <aside className="ev" aria-labelledby="visit-heading">
      <div className="evh">
        <IconButton name="left" small className="back" label={t("desk.backToCalendar")} onClick={onClose} />
        <h2 id="visit-heading" ref={heading} tabIndex={-1} className="id">
          <Ref>{visit.ref}</Ref>
        </h2>
        <StateWord entry={appointmentStates[status]} pill />
        <span className="sp" />
        <IconButton name="x" small label={t("action.close")} onClick={onClose} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard */}
      <section className="evb" tabIndex={0} aria-label={visit.ref}>
        {hold?.notice}
        {refusal && <RefusalNotice refusal={refusal} zone={zone} />}
        {said && (
          <div className="px-4 pt-3">
            <Notice glyph="done" family="done">
              {said}
              {canUndo && undo.allowed && !hold && (
                <Button
                  size="sm"
                  look="link"
                  className="ml-2"
                  busy={command.phase !== "idle"}
                  onClick={() =>
                    onCommand({
                      operation: "changeStatus",
                      appointmentId: visit.id,
                      version,
                      change: { to: undo.to, reasonCode: "WRONG_CLICK" },
                    })
                  }
                >
                  {t("visit.undoNow")}
                </Button>
              )}
            </Notice>
          </div>
        )}
        <div className="sum">
          {visit.patient.name ?? visit.patient.ref}
          <small>
            {visit.treatment}, {formatExactTime(visit.startsAt, zone, "dayClock", locale)}–
            {formatExactTime(visit.endsAt, zone, "clock", locale)}
          </small>
        </div>
        <section className="sec">
          <KeyValueList>
            <KeyValue term={t("desk.patient")}>
              <Ref>{visit.patient.ref}</Ref>
            </KeyValue>
            <KeyValue term={t("desk.doctor")}>{doctor}</KeyValue>
            {things.length > 0 && <KeyValue term={t("visit.uses")}>{things.join(", ")}</KeyValue>}
            <KeyValue term={t("evidence.version")}>
              <span className="num">{visit.version}</span>
            </KeyValue>
          </KeyValueList>
        </section>
        {isListed && (
          <VisitActions
            key={`${visit.id}.${answered}`}
            visit={visit}
            version={version}
            busy={command.phase !== "idle"}
            offBecause={hold?.id}
            onCommand={onCommand}
            onMove={onMove}
          />
        )}
        <History history={history} day={day} />
      </section>
      {command.pending && command.pending.command.operation !== "book" && (command.phase === "unanswered" || command.tries.length > 1) && (
        <SafeRetry
          pending={command.pending}
          tries={command.tries}
          sending={command.phase === "sending"}
          zone={zone}
          onRetry={command.retry}
          onLookUp={command.lookUp}
        />
      )}
    </aside>
  );
}
