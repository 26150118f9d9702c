// For tests: whoever writes at the same moment as an apply, on a connection of its own.
import type { Db } from "@/db/client";
import type { PlanningWorld } from "../testing";

type Sql = Db["$client"];
/** A transaction of somebody else that has done its work and has not ended yet. */
export type OpenWriter = { end(how: "commit" | "rollback"): Promise<void> };

export async function openWriter(
  client: Sql,
  work: (sql: Sql) => Promise<unknown>,
  isolation: "read committed" | "repeatable read" | "serializable" = "read committed",
): Promise<OpenWriter> {
  let end: (how: "commit" | "rollback") => void = () => {};
  const ended = new Promise<"commit" | "rollback">((resolve) => {
    end = resolve;
  });
  let begun: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const done = client
    .begin(`isolation level ${isolation}`, async (sql) => {
      await work(sql as unknown as Sql);
      begun();
      if ((await ended) === "rollback") throw new Error("rolled back");
    })
    .catch((error: Error) => {
      if (error.message !== "rolled back") throw error;
    });
  await Promise.race([ready, done]);
  return {
    end: async (how) => {
      end(how);
      await done;
    },
  };
}

/** An absence by direct SQL that asks for no lock. */
export const blindAbsence = (world: PlanningWorld, sql: Pick<Sql, "unsafe">): Promise<void> => world.absence(sql, 0, "15:00", "16:00");

/** Everybody who may write a fact, however carefully: each has done its work, and not committed. */
export const factWriters: [who: string, open: (world: PlanningWorld, client: Sql) => Promise<OpenWriter>][] = [
  [
    "a READ COMMITTED writer that locks the scope first",
    (world, client) =>
      openWriter(client, async (sql) => {
        await sql`select 1 from planning_scopes where clinic_id = ${world.clinic.id} for no key update`;
        await blindAbsence(world, sql);
      }),
  ],
  ["a blind insert by direct SQL", (world, client) => openWriter(client, (sql) => blindAbsence(world, sql))],
  ["a REPEATABLE READ writer", (world, client) => openWriter(client, (sql) => blindAbsence(world, sql), "repeatable read")],
  ["a SERIALIZABLE blind insert", (world, client) => openWriter(client, (sql) => blindAbsence(world, sql), "serializable")],
  [
    "direct SQL that changes the clinic itself",
    (world, client) =>
      openWriter(client, (sql) => sql`update clinics set open_on_holidays = not open_on_holidays where id = ${world.clinic.id}`),
  ],
];

/** Points of an apply, from its lock of the scope to its last statement. */
export const pointsUnderLock = ["scopeLocked", "factsLoaded", "resourcesLocked", "rowsLocked", "movesWritten"] as const;
