"use client";

import dynamic from "next/dynamic";
import { NotRead } from "@/app/_components/not-read";
import { dateIn } from "@/app/_components/time";
import type { DeskColumn, DeskDay, DeskVisit } from "@/server/domain/operations/desk-day";
import { BookingDrawer } from "./booking-drawer";
import { ChangedElsewhere } from "./changed-elsewhere";
import type { FactsAsk } from "./facts/facts-ask";
import type { Hold } from "./hold";
import type { BookingForm, useBookingForm } from "./use-booking-form";
import type { DeskCommands } from "./use-desk-commands";
import type { OpenedVisit } from "./use-opened-visit";
import { VisitDrawer } from "./visit-drawer";

/** Loaded when a column's menu asks for it. */
const FactsDrawer = dynamic(() => import("./facts/facts-drawer"));

type Props = {
  kind: "facts" | "booking" | "visit";
  day: DeskDay;
  /** False: nothing may be decided by what is shown. */
  isCurrent: boolean;
  /** What a column's menu asked for: an absence, an outage, a break, opening hours. */
  facts: { ask: FactsAsk & { nth: number }; column: DeskColumn } | null;
  opened: OpenedVisit;
  /** The visit that is moved; null: a new one is booked. */
  movingId: string | null;
  booking: ReturnType<typeof useBookingForm>;
  /** The form as it was sent, while its answer is open. */
  sent: BookingForm | null;
  /** Devices and rooms that the chosen time would hold. */
  equipmentIds: readonly string[];
  commands: DeskCommands;
  onReadAgain(): void;
  onDate(date: string): void;
  onMove(visit: DeskVisit): void;
  onClose(): void;
};

/** What stands beside the calendar: a booking, a move, one visit, or the facts of a column; with the reason why nothing can be sent now, if there is one. */
export function DeskDrawer(props: Props) {
  const { kind, day, facts, opened, movingId, booking, sent, equipmentIds, commands, onMove, onClose } = props;
  const { visit, seen } = opened;
  const { form } = booking;
  const hold = holdOf(props);
  if (kind === "facts")
    return (
      facts && <FactsDrawer key={facts.ask.nth} day={day} column={facts.column} start={facts.ask.form} hold={hold} onClose={onClose} />
    );
  if (kind === "booking") {
    const submit = () => {
      if (movingId && visit)
        commands.send({
          operation: "reschedule",
          appointmentId: visit.id,
          version: seen.version,
          change: { startsAt: form.startsAt, doctorId: form.doctorId },
        });
      else if (!movingId && form.patient)
        commands.send({
          operation: "book",
          visit: { patient: { id: form.patient.id }, treatmentId: form.treatmentId, doctorId: form.doctorId, startsAt: form.startsAt },
        });
    };
    return (
      <BookingDrawer
        key={movingId ?? "book"}
        day={day}
        form={sent ?? form}
        onChange={booking.change}
        onClear={booking.clear}
        onClose={onClose}
        onSubmit={submit}
        command={commands}
        refusal={commands.refusal}
        moving={movingId ? { id: movingId, ref: visit?.ref ?? "" } : null}
        equipmentIds={equipmentIds}
        hold={hold}
      />
    );
  }
  if (!visit) return null;
  return (
    <VisitDrawer
      day={day}
      visit={visit}
      version={seen.version}
      isListed={opened.isListed}
      history={opened.history}
      hold={hold}
      command={commands}
      refusal={commands.refusal}
      said={commands.done.text}
      canUndo={commands.done.canUndo}
      answered={commands.answered}
      onCommand={commands.send}
      onMove={() => onMove(visit)}
      onClose={onClose}
    />
  );
}

/** A change by somebody else comes before what could not be read again. While a command of this desk is open its own change is no news. */
function holdOf({ day, isCurrent, opened, commands, onReadAgain, onDate }: Props): Hold | null {
  const { visit, isListed, seen, latest } = opened;
  const { zone } = day.clinic;
  if (visit && latest && commands.phase === "idle" && seen.isBehind(latest.version)) {
    const onRead = () => {
      seen.accept(latest.version);
      commands.forgetRefusal();
      if (latest.change === "RESCHEDULED" && !isListed) onDate(dateIn(latest.toStartsAt, zone));
    };
    return { id: "changed-elsewhere", notice: <ChangedElsewhere entry={latest} zone={zone} onRead={onRead} /> };
  }
  return isCurrent ? null : { id: "not-read", notice: <NotRead at={day.asOf} zone={zone} onRead={onReadAgain} /> };
}
