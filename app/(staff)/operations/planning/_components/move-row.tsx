"use client";

import { useLocale, useTranslations } from "next-intl";
import { Fragment } from "react";
import { Icon } from "@/app/_components/icon";
import { Ref } from "@/app/_components/ref";
import { formatPeriod, formatTime } from "@/app/_components/time";
import type { MoveView, PlaceView } from "@/server/domain/operations/planning-types";
import { moveWord } from "./planning-dictionary";
import type { ChosenMoves } from "./use-chosen-moves";

/** One visit: from, to with only the changed part bold, why, and which place its patient knows of. */
export function MoveRow({ move, zone, chosen }: { move: MoveView; zone: string; chosen: ChosenMoves }) {
  const t = useTranslations();
  const locale = useLocale();
  const { told } = move;
  const knows =
    told &&
    (told.at
      ? t(told.of === "NEW" ? "planning.told.NEW" : "planning.told.OLD", { at: formatTime(told.at, zone, "day", locale) })
      : t("planning.told.KNOWN"));
  return (
    <tr>
      <th scope="row">
        {chosen.isOn && move.kind === "MOVE" ? (
          <label>
            <input type="checkbox" checked={chosen.ids.has(move.appointmentId)} onChange={() => chosen.toggle(move.appointmentId)} />
            <Ref>{move.appointmentRef}</Ref>
          </label>
        ) : (
          <Ref>{move.appointmentRef}</Ref>
        )}
      </th>
      <td className="fr">
        <span className="nm">{t("planning.from")} </span>
        {move.status === "PENDING_RESCHEDULE" ? (
          <span className="dim">{t("planning.noTime")}</span>
        ) : (
          <Place place={move.from} before={null} zone={zone} />
        )}
      </td>
      <td className="m">
        <Icon name="arrow" />
      </td>
      <td className="tc">
        <span className="nm">{t("planning.to")} </span>
        {move.to ? (
          <Place place={move.to} before={move.status === "PENDING_RESCHEDULE" ? "NONE" : move.from} zone={zone} />
        ) : (
          <span className="dim">{t(move.kind === "STAYS" ? "planning.staysHere" : "planning.noPlace")}</span>
        )}
      </td>
      <td className="wy">
        <Why move={move} zone={zone} />
      </td>
      <td className={knows ? "td y" : "td"}>
        <Icon name={knows ? "check" : "minus"} />
        {knows ?? t("planning.told.NONE")}
      </td>
    </tr>
  );
}

/** Day, time and who; after, only the parts that are not as before are bold. */
function Place({ place, before, zone }: { place: PlaceView; before: PlaceView | "NONE" | null; zone: string }) {
  const locale = useLocale();
  const parts = (of: PlaceView) => [
    formatTime(of.startsAt, zone, "shortDay", locale),
    formatTime(of.startsAt, zone, "clock", locale),
    of.doctorRef,
    of.equipmentRefs.join(", "),
  ];
  const old = before && before !== "NONE" ? parts(before) : null;
  const [day, clock, doctor, devices] = parts(place).map((text, i) => {
    const isNew = before !== null && (old === null || old[i] !== text);
    return <Part key={text} text={text} isRef={i > 1} isNew={isNew} />;
  });
  return (
    <span className="pl">
      <span>{day}</span>
      <span>{clock}</span>
      <span>
        {doctor}
        {place.equipmentRefs.length > 0 && <>, {devices}</>}
      </span>
    </span>
  );
}

function Part({ text, isRef, isNew }: { text: string; isRef: boolean; isNew: boolean }) {
  const word = isRef && text !== "" ? <Refs text={text} /> : text;
  return isNew ? <b>{word}</b> : word;
}

const Refs = ({ text }: { text: string }) => (
  <>
    {text.split(", ").map((ref, i) => (
      <Fragment key={ref}>
        {i > 0 && ", "}
        <Ref>{ref}</Ref>
      </Fragment>
    ))}
  </>
);

/** "D-02 absent Mon 09:00–12:30": the blocker of the old place with its time. */
function Why({ move, zone }: { move: MoveView; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  return (
    <>
      {move.whySubjectRef && (
        <>
          <Ref>{move.whySubjectRef}</Ref>{" "}
        </>
      )}
      {t(moveWord(move.whyCode))}
      {move.whyFrom && move.whyUntil && ` ${formatPeriod(move.whyFrom, move.whyUntil, zone, locale)}`}
    </>
  );
}
