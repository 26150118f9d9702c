import { describe, expect, it } from "vitest";
import { addDays } from "@/app/_components/time";
import type { AffectedView } from "@/server/domain/clinics/fact-types";
import { searchRange } from "./search-range";

const clinic = { zone: "Europe/Berlin", today: "2027-02-01", date: "2027-02-03" };
/** One visit a day, of which the first `shown` are named. */
function affected(first: string, days: number, shown = days): AffectedView {
  const dates = Array.from({ length: days }, (_, i) => addDays(first, i));
  const visits = dates.slice(0, shown).map((date) => ({
    id: `visit of ${date}`,
    ref: "APT-1",
    status: "CONFIRMED",
    startsAt: `${date}T09:00:00Z`,
    endsAt: `${date}T09:30:00Z`,
    doctorId: "doctor",
    patientRef: "P-1",
  }));
  return { count: days, visits, days: dates.map((date) => ({ date, visits: 1 })) };
}

describe("the dates in which new times are looked for", () => {
  it("end a week after the last affected visit, and every affected visit is chosen", () => {
    const found = searchRange(affected("2027-02-03", 40), clinic);

    expect(found).toMatchObject({ fromDate: "2027-02-03", untilDate: "2027-03-21", beyond: 0 });
    expect(found.chosenIds).toHaveLength(40);
  });

  it("reckon with affected visits that are not shown", () => {
    expect(searchRange(affected("2027-02-03", 40, 5), clinic)).toMatchObject({ untilDate: "2027-03-21", beyond: 0 });
  });

  it("end after 62 days; visits beyond are not chosen, and counted whether they are shown or not", () => {
    const found = searchRange(affected("2027-02-03", 100, 70), clinic);

    expect(found).toMatchObject({ fromDate: "2027-02-03", untilDate: "2027-04-05", beyond: 38 });
    expect(found.chosenIds).toHaveLength(62);
    expect(found.chosenIds.at(-1)).toBe("visit of 2027-04-05");
  });

  it("begin today at the earliest", () => {
    expect(searchRange(affected("2027-01-30", 3), clinic)).toMatchObject({ fromDate: "2027-02-01", untilDate: "2027-02-08" });
  });
});
