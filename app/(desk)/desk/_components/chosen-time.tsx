"use client";

import { useLocale, useTranslations } from "next-intl";
import { Icon } from "@/app/_components/icon";
import { formatTime, repeatedReading } from "@/app/_components/time";
import type { Choice } from "./calendar";

type Props = {
  choice: Choice;
  /** In the column of a device or room: the doctor who would use it. */
  usedBy: string | null;
  zone: string;
  y(ms: number): number;
};

/** The chosen time in the calendar, before it is booked and while its answer is open. */
export function ChosenTime({ choice, usedBy, zone, y }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const from = Date.parse(choice.startsAt);
  const offset = repeatedReading(choice.startsAt, zone)?.offset;
  const words = t(choice.sent ? "desk.confirming" : "desk.yourChoice");
  return (
    <div
      className="ap new"
      style={{ top: y(from) + 1, height: Math.max(24, y(Date.parse(choice.endsAt)) - y(from) - 1), left: 3, right: 3, width: "auto" }}
    >
      <span className="a">
        {usedBy === null && <Icon name={choice.sent ? "run" : "plus"} />}
        <b>
          {formatTime(choice.startsAt, zone, "clock", locale)}
          {usedBy && `, ${usedBy}`}
        </b>
        {usedBy === null && (
          <span className="stx">
            {words}
            {offset && `, ${offset}`}
          </span>
        )}
      </span>
      <span className="b">{usedBy === null ? choice.label : words}</span>
    </div>
  );
}
