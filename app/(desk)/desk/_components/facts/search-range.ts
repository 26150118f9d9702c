import { addDays, dateIn, laterDate } from "@/app/_components/time";
import type { AffectedView } from "@/server/domain/clinics/fact-types";
import { planningLimits } from "@/server/domain/planning/limits";

/** Days after the last affected visit in which a new time is looked for. */
const searchDays = 7;

type Search = {
  fromDate: string;
  untilDate: string;
  /** Affected visits that are shown and begin in the range: the plan may move them although a single one of them might stay. */
  chosenIds: string[];
  /** Affected visits that begin after the range, shown or not: this plan does not cover them. */
  beyond: number;
};

/** The dates in which new times are looked for: from the first affected visit to a week after the last one, as far as one plan goes. */
export function searchRange({ visits, days }: AffectedView, clinic: { zone: string; today: string; date: string }): Search {
  const fromDate = laterDate(days[0]?.date ?? clinic.date, clinic.today);
  const wished = addDays(laterDate(days.at(-1)?.date ?? fromDate, fromDate), searchDays);
  const last = addDays(fromDate, planningLimits.daysMax - 1);
  const untilDate = laterDate(wished, last) === last ? wished : last;
  const isWithin = (date: string) => fromDate <= date && date <= untilDate;
  return {
    fromDate,
    untilDate,
    chosenIds: visits.filter(({ startsAt }) => isWithin(dateIn(startsAt, clinic.zone))).map(({ id }) => id),
    beyond: days.filter(({ date }) => date > untilDate).reduce((sum, day) => sum + day.visits, 0),
  };
}
