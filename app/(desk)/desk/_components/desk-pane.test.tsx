import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient } from "@trpc/client";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { NextIntlClientProvider } from "next-intl";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import en from "@/app/_i18n/en.json";
import { TRPCProvider } from "@/app/_trpc/client";
import { makeQueryClient } from "@/app/_trpc/query-client";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import type { DeskWeek } from "@/server/domain/operations/desk-week";
import type { AppRouter } from "@/server/trpc/root";
import { DeskPane } from "./desk-pane";

const [zone, date, clinicId] = ["Europe/Berlin", "2027-02-09", "c1"];
const clinic = { id: clinicId, ref: "CL-000001", name: "Berlin", zone, gridMinutes: 10 };
const day = {
  asOf: "2027-02-09T09:30:00Z",
  clinic,
  date,
  today: date,
  from: "2027-02-09T08:00:00Z",
  until: "2027-02-09T16:00:00Z",
  open: [],
  columns: [],
  blocks: [],
  visits: [],
  treatments: [],
  load: null,
} satisfies DeskDay & { load: null };
const lane = { date, from: day.from, until: day.until, open: [], blocks: [], visits: [] };
const week: DeskWeek = { asOf: "2027-02-09T09:12:00Z", clinic, today: date, days: [lane], doctors: [] };

const trpcClient = createTRPCClient<AppRouter>({ links: [] });
const nothing = () => {};
const drawn = (queryClient: QueryClient, view: "day" | "week", shown = day) =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" messages={en} timeZone={zone}>
      <QueryClientProvider client={queryClient}>
        <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
          <DeskPane
            clinicId={clinicId}
            day={shown}
            readAtMs={Date.parse(shown.asOf)}
            live="live"
            url={{ view, doctor: null, state: null, visit: null }}
            choice={null}
            booking={false}
            said=""
            onFilter={nothing}
            onDate={nothing}
            onDay={nothing}
            onOpen={nothing}
            onBook={nothing}
            onFacts={nothing}
          />
        </TRPCProvider>
      </QueryClientProvider>
    </NextIntlClientProvider>,
  );
const headOf = (html: string) => html.match(/<span class="live">.*?<\/span>/)?.[0].replace(/<[^>]+>/g, "");

/** The week was read once, and `failed`: could not be read since. */
function weekRead(failed: boolean): QueryClient {
  const client = makeQueryClient();
  const { queryKey } = createTRPCOptionsProxy<AppRouter>({ client: trpcClient, queryClient: client }).desk.week.queryOptions({
    clinicId,
    date,
  });
  client.setQueryData(queryKey, week);
  if (failed)
    client
      .getQueryCache()
      .find({ queryKey })
      ?.setState({ status: "error", error: new Error("cut") });
  return client;
}

describe("how fresh the head says it is", () => {
  it("in the week it is the week's reading, not the day's", () => {
    expect(headOf(drawn(weekRead(false), "week"))).toMatch(/^Live/);
    expect(headOf(drawn(weekRead(true), "week"))).toBe("Reconnecting · last update 10:12:00");
  });

  it("in the day it is the day's reading, whatever became of the week", () => {
    expect(headOf(drawn(weekRead(true), "day"))).toMatch(/^Live/);
  });
});

describe("the now-line", () => {
  const topOf = (html: string) => html.match(/<div class="now" style="top:([\d.]+)px">/)?.[1];

  it("stands where the clinic's now is, below the blocks in the order of drawing", () => {
    const html = drawn(weekRead(false), "day");
    expect(Number(topOf(html))).toBe(1.5 * 76); // an hour and a half after the first line
    expect(html).toContain("<b>10:30</b>");
    expect(html.indexOf('class="now"')).toBeLessThan(html.indexOf('class="lanes"'));
  });

  it("is not drawn before the first hour or after the last one", () => {
    for (const asOf of ["2027-02-09T07:59:00Z", "2027-02-09T16:00:00Z"])
      expect(topOf(drawn(weekRead(false), "day", { ...day, asOf }))).toBeUndefined();
  });
});
