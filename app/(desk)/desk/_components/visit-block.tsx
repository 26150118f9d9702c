"use client";

import clsx from "clsx";
import { useLocale, useTranslations } from "next-intl";
import { type CSSProperties, memo } from "react";
import { Icon } from "@/app/_components/icon";
import { Ref } from "@/app/_components/ref";
import { appointmentStates } from "@/app/_components/state-dictionary";
import { formatTime } from "@/app/_components/time";
import type { AppointmentState } from "@/server/domain/appointments/states";
import type { DeskVisit } from "@/server/domain/operations/desk-day";

/** Drawing of each state: done is flat; in room, arrived and needs-new-time are tinted; requested and no-show are dashed. */
export const looks: Record<AppointmentState, string> = {
  REQUESTED: "req",
  CONFIRMED: "book",
  PENDING_RESCHEDULE: "move",
  CHECKED_IN: "here",
  IN_PROGRESS: "room",
  COMPLETED: "done",
  NO_SHOW: "no",
  CANCELLED: "no",
};

type Props = {
  visit: DeskVisit;
  doctor: string;
  zone: string;
  open: boolean;
  /** "+01:00" when the clock shows this time twice, wherever the visit is drawn. */
  offset: string | undefined;
  /** Where it stands in its column, px; left out in a list. */
  top?: number;
  height?: number;
  lane?: number;
  lanes?: number;
  onOpen(id: string): void;
};

/** One visit as a button: time, state, person. Drawn again only when one of these values changed. */
export const VisitBlock = memo(function VisitBlock(props: Props) {
  const { visit, doctor, zone, open, offset, top, height = 48, lane = 0, lanes = 1, onOpen } = props;
  const t = useTranslations();
  const locale = useLocale();
  const entry = appointmentStates[visit.status];
  const who = visit.patient.name ?? <Ref>{visit.patient.ref}</Ref>;
  const tall = height >= 50;
  const style = top !== undefined && {
    "--t": `${top}px`,
    "--h": `${height}px`,
    "--l": `calc(3px + ${(lane / lanes) * 100}%)`,
    "--w": `calc(${100 / lanes}% - 6px)`,
  };
  return (
    <button
      type="button"
      data-visit={visit.id}
      className={clsx("ap", looks[visit.status], height < 30 && "low")}
      style={(style || undefined) as CSSProperties}
      aria-pressed={open}
      onClick={() => onOpen(visit.id)}
    >
      <span className="a">
        <Icon name={entry.glyph} />
        <b>{formatTime(visit.startsAt, zone, "clock", locale)}</b>
        <span className="stx">{t(entry.label)}</span>
        {offset && <span className="ofs">{`, ${offset}`}</span>}
        {height < 30 && <span className="b">{who}</span>}
      </span>
      {height >= 30 && (
        <span className="b nm">
          {who}
          {!tall && ` · ${visit.treatment}`}
        </span>
      )}
      {tall && <span className="b">{visit.treatment}</span>}
      <span className="b dr">{doctor}</span>
      <span className="sr">, {visit.ref}</span>
    </button>
  );
});
