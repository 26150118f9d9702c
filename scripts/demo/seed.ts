import { existsSync, writeFileSync } from "node:fs";
import type { RoleUrls } from "@/db/bootstrap";
import { closeDb, type Db, openDb, type Tx, withTx } from "@/db/client";
import { askForAPlan } from "@/scripts/demo/ask-for-a-plan";
import { bookFuture } from "@/scripts/demo/book-future";
import { importVisits, stepsUntil } from "@/scripts/demo/import-visits";
import { planDay } from "@/scripts/demo/plan-day";
import { newRandom, type Random } from "@/scripts/demo/random";
import { type SeededGroup, seedFacts } from "@/scripts/demo/seed-facts";
import type { Secrets } from "@/scripts/lib/secrets";
import { rebuildDailyLoad } from "@/server/domain/appointments/daily-load-query";
import { addDays, localAt } from "@/server/domain/clinics/local-time";
import { checkInvariants } from "@/server/domain/operations/check-invariants";

export type SeedDemo = {
  urls: RoleUrls;
  secrets: Secrets;
  /** written when all is done; an interrupted seed goes on at its next start. Left out: the database is new */
  doneFile?: string;
  say: (line: string) => void;
  isStopped?: () => boolean;
};

export const PAST_DAYS = 30;

/**
 * Fills an empty database with the demo's world. Facts and past visits in one transaction, all or nothing; future ones through the real
 * commands. Does nothing when it is done already.
 * @throws Error when the records it leaves break an invariant
 */
export async function seedDemo(options: SeedDemo): Promise<void> {
  if (options.doneFile && existsSync(options.doneFile)) return;
  const migrator = openDb(options.urls.migrator, { max: 2, applicationName: "demo-seed" });
  try {
    if (!(await hasGroups(migrator))) {
      const visits = await withTx(migrator, {}, (tx) => seedPast(tx, Date.now(), options.secrets.apiToken), LONG);
      options.say(`${visits} past visits imported`);
    }
    const future = await bookFuture({
      migrator,
      webUrl: options.urls.web,
      digestKeys: options.secrets.digestKeys,
      isStopped: options.isStopped ?? (() => false),
      say: options.say,
    });
    options.say(
      `${future.booked} visits booked through the commands, ${future.changed} moved, confirmed or called off${future.refused > 0 ? `, ${future.refused} refused` : ""}`,
    );
    if (options.isStopped?.()) return;
    const affected = await askForAPlan({ migrator, webUrl: options.urls.web, digestKeys: options.secrets.digestKeys });
    if (affected) options.say(`an absence that ${affected} visits cannot keep, and a plan asked for`);
    await migrator.$client`analyze`; // nobody has counted the new rows yet, and the checker's questions would be planned as if there were none
    const faults = await checkInvariants(migrator);
    if (faults.length > 0)
      throw new Error(
        `the seeded records break: ${faults.map((fault) => `${fault.invariant} (${fault.offenders}, ${JSON.stringify(fault.examples[0])})`).join("; ")}`,
      );
    if (options.doneFile) writeFileSync(options.doneFile, `${new Date().toISOString()}\n`);
  } finally {
    await closeDb(migrator);
  }
}

const LONG = { deadlineMs: 180_000, idleTimeoutMs: 60_000, lockTimeoutMs: 30_000 };

async function hasGroups(migrator: Db): Promise<boolean> {
  const [row] = await migrator.$client<{ found: boolean }[]>`select exists (select from tenant_groups) as found`;
  return row?.found ?? false;
}

/** Facts, people and the visits of the last days up to now; returns how many visits. Takes the migrator's tx. */
export async function seedPast(tx: Tx, now: number, apiToken: string, days = PAST_DAYS): Promise<number> {
  let count = 0;
  for (const [position, group] of (await seedFacts(tx, now, apiToken)).entries()) {
    const random = newRandom(1_000 + position);
    for (let day = -days; day <= 0; day++) count += await importDay(tx, group, day, now, random);
    await rebuildDailyLoad(tx, group.tenantGroupId); // imported visits have no events that would be counted
  }
  return count;
}

/** A day of all clinics of a group: no patient comes twice. */
async function importDay(tx: Tx, group: SeededGroup, day: number, now: number, random: Random): Promise<number> {
  const waiting = [...group.patients].sort(() => random.next() - 0.5);
  let count = 0;
  for (const clinic of group.clinics) {
    const date = addDays(localAt(clinic.zone, now).date, day);
    const planned = await planDay(tx, clinic, date, 0.72, random);
    const visits = planned
      .filter(({ placement }) => Date.parse(placement.startsAt) < now)
      .flatMap((visit) => {
        const patient = waiting.pop();
        return patient ? [{ ...visit, patient, steps: stepsUntil(now, visit, random) }] : [];
      });
    await importVisits(tx, clinic, visits);
    count += visits.length;
  }
  return count;
}
