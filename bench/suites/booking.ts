import { randomUUID } from "node:crypto";
import { bookInOneStatement, bookingTables, bookOneByOne } from "@/bench/floors/booking";
import { commitSide, singleRowCommits } from "@/bench/lib/commit-rate";
import { type Suite, scaled } from "@/bench/lib/context";
import type { countRows } from "@/bench/lib/database";
import { book, commandDeps } from "@/bench/lib/product";
import { alone, compared, type Row } from "@/bench/lib/report";
import { countRoundTrips } from "@/bench/lib/round-trips";
import { ratePerSecond, runAlternately } from "@/bench/lib/rounds";
import { createWorld } from "@/bench/lib/world";

const suite = "booking";

/** createAppointment in process against the same rows written by hand. Four clinics of ten doctors, no two bookings meet. */
export const booking: Suite = async (context) => {
  const database = await context.freshDatabase();
  const [ours, rows, statement] = await Promise.all(
    ["product", "floor", "statement"].map((name) => createWorld(database.migrator, { clinics: 4, name })),
  );
  if (!ours || !rows || !statement) throw new Error("no world");
  const deps = commandDeps(database.web, context.secrets);
  const amount = scaled(context, 1_000, 100);
  const made = { ours: 0, rows: 0, statement: 0 };
  const measured = await runAlternately(
    [
      { name: "ours", run: () => ratePerSecond(amount, 10, () => book(deps, ours, ours.booking(made.ours++), randomUUID())) },
      { name: "one by one", run: () => ratePerSecond(amount, 10, () => bookOneByOne(database.bare, rows, rows.booking(made.rows++))) },
      {
        name: "one statement",
        run: () => ratePerSecond(amount, 10, () => bookInOneStatement(database.bare, statement, statement.booking(made.statement++))),
      },
      await singleRowCommits(database.bare, amount * 4),
    ],
    context.rounds,
    () => database.bare`analyze`,
  );
  await assertSameRows(database.bare, [ours.tenantGroupId, rows.tenantGroupId, statement.tenantGroupId]);
  const trips = await countRoundTrips(database.urls.web, (db) =>
    book(commandDeps(db, context.secrets), ours, ours.booking(made.ours++), randomUUID()),
  );
  return [
    compared(measured, {
      suite,
      what: "create, in process, 10 at a time",
      unit: "/s",
      ours: "ours",
      baseline: "one by one",
      bar: { atLeast: 0.5 },
      note: "baseline: one transaction of the same rows with the claims trigger, awaited one by one; it reads no facts, looks no key up, decides nothing",
    }),
    compared(measured, {
      suite,
      what: "the same",
      unit: "/s",
      ours: "ours",
      baseline: "one statement",
      note: "baseline: the same rows in one statement",
    }),
    compared(measured, { suite, what: "the same, as rel", unit: "/s", ours: "ours", baseline: commitSide }),
    {
      suite,
      what: "round trips of a create between BEGIN and COMMIT",
      unit: "",
      ours: trips - 2,
      baseline: "aim",
      baselineFigure: 6,
      ratio: (trips - 2) / 6,
      bar: { atMost: 1 },
      note: "counted on the wire; BEGIN and COMMIT are two more",
    },
    alone(measured, { suite, what: "floor: one by one", unit: "/s", side: "one by one" }),
  ] satisfies Row[];
};

/** A floor that writes less would be no floor: the same number of rows in every table for each side. */
async function assertSameRows(bare: Parameters<typeof countRows>[0], tenants: string[]): Promise<void> {
  for (const table of bookingTables) {
    const found = await bare.unsafe<{ n: number }[]>(
      `select count(*)::int4 as n from ${table} where tenant_group_id = any ($1::uuid[]) group by tenant_group_id`,
      [tenants as never],
    );
    const numbers = new Set(found.map(({ n }) => n));
    if (numbers.size !== 1) throw new Error(`${table}: product and floors wrote ${found.map(({ n }) => n).join(", ")} rows`);
  }
}
