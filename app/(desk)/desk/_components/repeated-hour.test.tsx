import { NextIntlClientProvider } from "next-intl";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import en from "@/app/_i18n/en.json";
import { visitOf } from "@/app/design/_components/desk-samples";
import type { HistoryEntry } from "@/server/domain/appointments/history";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import { Agenda } from "./agenda";
import { BlockerList } from "./blocker-list";
import { CalendarBlocks } from "./calendar-blocks";
import { ChangedElsewhere } from "./changed-elsewhere";
import { History, type VisitHistory } from "./visit-history";

const zone = "Europe/Berlin";
/** 02:20 of the night in which Berlin's clocks go back, summer's and winter's. */
const [first, second] = ["2026-10-25T00:20:00Z", "2026-10-25T01:20:00Z"];
const nothing = () => {};
const textOf = (part: ReactNode) =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" messages={en} timeZone={zone}>
      {part}
    </NextIntlClientProvider>,
  ).replace(/<[^>]+>/g, "");
const moved: HistoryEntry = {
  version: "2",
  change: "RESCHEDULED",
  fromStatus: "CONFIRMED",
  toStatus: "CONFIRMED",
  fromStartsAt: first,
  toStartsAt: second,
  fromDoctorId: null,
  toDoctorId: "d1",
  reasonCode: null,
  actorRef: "ST-000001",
  source: "DESK",
  at: second,
} as HistoryEntry;

it("the list of a day says which of two readings a visit has", () => {
  const visits = [first, second].map((startsAt) => ({ ...visitOf("CONFIRMED"), id: startsAt, startsAt }));
  const day = { visits, columns: [], clinic: { zone } } as unknown as DeskDay;
  const text = textOf(<Agenda day={day} openId={null} onOpen={nothing} onFacts={nothing} />);
  expect(text).toContain("02:20Booked, +02:00");
  expect(text).toContain("02:20Booked, +01:00");
});

it("what blocks a time and the label of hatched time say which reading they begin and end with", () => {
  const blocker = { code: "ABSENT", subject: "D-03", label: null, from: "2026-10-24T21:45:00Z", until: "2026-10-25T00:00:00Z" };
  expect(textOf(<BlockerList blockers={[blocker as never]} zone={zone} />)).toContain("02:00 (+02:00)");
  const block = { columnId: null, kind: "ABSENT" as const, from: blocker.from, until: blocker.until, label: null };
  expect(textOf(<CalendarBlocks blocks={[block]} zone={zone} columnId={null} y={(ms) => ms} />)).toBe("Absent 23:45–02:00 (+02:00)");
});

it("a move from the first to the second reading is told as one, with the reading of its own moment", () => {
  const history = { data: [moved], isError: false } as unknown as VisitHistory;
  const text = textOf(<History history={history} day={{ columns: [], clinic: { zone } } as unknown as DeskDay} />);
  expect(text).toContain("Sun 25 Oct 02:20 (+02:00) → Sun 25 Oct 02:20 (+01:00)");
  expect(text).toContain("Sun 25 Oct 02:20:00 (+01:00)");
  const said = textOf(<ChangedElsewhere entry={moved} zone={zone} onRead={nothing} />);
  expect(said).toContain("Changed at 02:20 (+01:00) by another desk");
  expect(said).toContain("Sun 25 Oct 02:20 (+01:00)");
});
