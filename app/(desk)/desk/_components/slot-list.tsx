"use client";

import { useQuery } from "@tanstack/react-query";
import { useLocale, useTranslations } from "next-intl";
import { useId, useState } from "react";
import { Button } from "@/app/_components/button";
import { FieldError } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import { addDays, dateIn, formatDate, formatTime } from "@/app/_components/time";
import { useTRPC } from "@/app/_trpc/client";
import type { Slot } from "@/server/domain/clinics/types";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import { calendarToday } from "./calendar-today";
import { clockChange, goesBack } from "./clock-change";
import { shortNames } from "./short-names";
import { firstOfDays, suggestDays, suggestTimes } from "./suggest-times";

const daysAhead = 7;
const pagesMax = 12;

type Wish = {
  treatmentId: string;
  doctorId: string;
  date: string;
  clock: string | null;
  patientId: string | null;
  ignoreAppointmentId: string | null;
};
type Props = { day: DeskDay; wish: Wish; chosen: string; missing: boolean; onChoose(slot: Slot): void };

/** Free times from the wished day on. The list and the command ask the same function, so what is listed can be booked. */
export function SlotList({ day, wish, chosen, missing, onChoose }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const trpc = useTRPC();
  const id = useId();
  const [more, setMore] = useState(false);
  // Pages of a week; another wish begins at its own day again.
  const wished = `${wish.treatmentId} ${wish.doctorId} ${wish.date}`;
  const [paged, setPaged] = useState({ wished, page: 0 });
  const page = paged.wished === wished ? paged.page : 0;
  const { clinic } = day;
  const ready = wish.treatmentId !== "" && /^\d{4}-\d{2}-\d{2}$/.test(wish.date);
  const fromDate = ready ? addDays(wish.date, page * daysAhead) : wish.date;
  const input = {
    clinicId: clinic.id,
    treatmentId: wish.treatmentId,
    doctorId: wish.doctorId === "any" ? null : wish.doctorId,
    patientId: wish.patientId,
    ignoreAppointmentId: wish.ignoreAppointmentId,
    fromDate,
    days: daysAhead,
  };
  const query = useQuery(trpc.desk.slots.queryOptions(input, { enabled: ready, staleTime: 0 }));
  const slots = ready ? (query.data?.slots ?? []) : [];
  const suggested = page === 0 ? suggestTimes(slots, wish) : suggestDays(slots);
  const shown = more ? slots : suggested;
  const firsts = new Set(firstOfDays(slots).map((slot) => slot.startsAt));
  const repeated = shown.find((slot) => slot.repeated);
  return (
    <div className="fl" role="radiogroup" aria-labelledby={id}>
      <span className="lb">
        <span id={id}>{t("desk.freeTimes")}</span>
        {query.data && (
          <span className="hint ml-auto">{t("desk.asOf", { at: formatTime(query.data.asOf, clinic.zone, "seconds", locale) })}</span>
        )}
      </span>
      {!ready && <p className="hint">{t("desk.chooseTreatmentFirst")}</p>}
      {ready && query.isPending && (
        <p className="hint" role="status">
          {t("desk.readingTimes")}
        </p>
      )}
      {query.isError && <FieldError>{t("desk.timesFailed")}</FieldError>}
      {ready && query.isSuccess && slots.length === 0 && (
        <p className="hint" role="status">
          {t("desk.noTimesFrom", { day: formatDate(fromDate, locale), days: daysAhead })}
        </p>
      )}
      <div className="slots">
        {shown.map((slot) => (
          <label key={slot.startsAt} className="slot">
            <input
              type="radio"
              className="sr"
              name="slot"
              value={slot.startsAt}
              checked={slot.startsAt === chosen}
              onChange={() => onChoose(slot)}
            />
            <i className="rd" aria-hidden="true" />
            <span>
              <b>{slot.localStart.slice(11, 16)}</b> <SlotDay slot={slot} day={day} />
            </span>
            <small>
              <SlotFacts
                slot={slot}
                day={day}
                isSecond={slots.some((one) => one.localStart === slot.localStart && one.startsAt < slot.startsAt)}
                isFirst={firsts.has(slot.startsAt) && !slot.localStart.startsWith(wish.date)}
              />
            </small>
          </label>
        ))}
      </div>
      {repeated && <HourTwice at={repeated.startsAt} zone={clinic.zone} />}
      {ready && query.isSuccess && (
        <div className="flex flex-wrap gap-2">
          {page > 0 && (
            <Button look="link" size="sm" onClick={() => setPaged({ wished, page: page - 1 })}>
              {t("desk.earlierDays")}
            </Button>
          )}
          {slots.length > suggested.length && !more && (
            <Button look="link" size="sm" onClick={() => setMore(true)}>
              {t("desk.moreTimes", { count: slots.length })}
            </Button>
          )}
          {page < pagesMax && (
            <Button look="link" size="sm" onClick={() => setPaged({ wished, page: page + 1 })}>
              {t("desk.laterDays")}
            </Button>
          )}
        </div>
      )}
      {missing && <FieldError>{t("desk.missing.time")}</FieldError>}
    </div>
  );
}

function SlotDay({ slot, day }: { slot: Slot; day: DeskDay }) {
  const t = useTranslations();
  const locale = useLocale();
  const date = dateIn(slot.startsAt, day.clinic.zone);
  return <span className="two">{date === calendarToday(day) ? t("desk.today") : formatDate(date, locale)}</span>;
}

/** One fact that helps to choose: which of two readings it is, or who would take it ("any doctor" gets the first) and whether it is the day's first. */
function SlotFacts({ slot, day, isSecond, isFirst }: { slot: Slot; day: DeskDay; isSecond: boolean; isFirst: boolean }) {
  const t = useTranslations();
  if (slot.repeated)
    return (
      <>
        <span className="of">UTC{slot.utcOffset}</span>, {t(isSecond ? "desk.reading.second" : "desk.reading.first")}
      </>
    );
  const doctors = day.columns.filter((column) => column.kind === "DOCTOR");
  const name = shortNames(doctors.map((doctor) => doctor.name))[doctors.findIndex(({ id }) => id === slot.doctorIds[0])] ?? "";
  if (isFirst) return `${name}, ${t("desk.firstThatDay")}`;
  return slot.doctorIds.length > 1 ? t("desk.andOthers", { name, count: slot.doctorIds.length - 1 }) : name;
}

/** Why the offset stands beside the time, in a sentence. */
export function HourTwice({ at, zone }: { at: string; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  const ms = Date.parse(at);
  const change = clockChange(ms - 3 * 3_600_000, ms + 3 * 3_600_000, zone);
  if (!goesBack(change)) return null;
  return (
    <p className="dstn">
      <Icon name="info" />
      <span>{t("desk.hourTwiceOn", { day: formatDate(dateIn(at, zone), locale), from: change.to, until: change.from })}</span>
    </p>
  );
}
