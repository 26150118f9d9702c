import { sameAnswers } from "@/scripts/kill/check";
import type { Stand } from "@/scripts/kill/stand";
import type { DrillProgress } from "@/server/domain/drills/drill-progress";
import { beginBooking, catchUp, checkRecords, told, withLoad } from "./under-load";

const awayMs = 3_000;

/** The database server is ended at once, as a crash of its machine would, and started again. */
export async function dbRestart(stand: Stand, progress: DrillProgress<"db-restart">): Promise<void> {
  const load = await beginBooking(stand, progress);
  await withLoad(load, async () => {
    for (const one of stand.processes) one.unasked.length = 0;
    await progress.step("stopDatabase", async () => {
      await stand.stopPostgres();
      await new Promise((resolve) => setTimeout(resolve, awayMs));
      return { facts: { awayMs } };
    });
    const sinceMs = Date.now();
    await progress.step("startDatabase", stand.startPostgres);
    await catchUp(stand, progress, { load, sinceMs });
    await progress.step("checkAll", async () => {
      progress.check(
        "processesStayed",
        "0 ended by themselves",
        `${stand.processes.flatMap((one) => one.unasked).length} ended by themselves`,
      );
      progress.check("answeredAlike", "no fault", told(await sameAnswers(stand, load.acknowledged)));
      await checkRecords(stand, progress, load);
    });
  });
}
