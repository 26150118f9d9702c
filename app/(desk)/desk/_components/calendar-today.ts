import { dateIn } from "@/app/_components/time";
import type { DeskDay } from "@/server/domain/operations/desk-day";

/** Today's date on the clinic's calendar. After midnight that is the one after `day.today` while a night still runs: what is booked now is dated by it. */
export const calendarToday = ({ asOf, clinic }: Pick<DeskDay, "asOf" | "clinic">): string => dateIn(asOf, clinic.zone);
