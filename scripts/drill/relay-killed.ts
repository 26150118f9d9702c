import { recoveryMaxMs } from "@/scripts/kill/scenario";
import type { Stand } from "@/scripts/kill/stand";
import { atPoint, plain } from "@/scripts/kill/supervised";
import { until } from "@/scripts/kill/until";
import type { DrillProgress } from "@/server/domain/drills/drill-progress";
import { beginBooking, catchUp, checkRecords, withLoad } from "./under-load";

/** A relay is killed after it has published and before it has written that down: another one publishes the same events again, and nothing is done twice. */
export async function relayKilled(stand: Stand, progress: DrillProgress<"relay-killed">): Promise<void> {
  const load = await beginBooking(stand, progress);
  await withLoad(load, async () => {
    const [victim] = stand.of("outbox-relay");
    if (!victim) throw new Error("no relay runs");
    let sinceMs = 0;
    const twiceBefore = await publishedTwice(stand); // an earlier drill on the same set-up may have left some
    await progress.step("killRelay", async () => {
      const before = victim.unasked.length;
      victim.kill(atPoint("relay.afterPublish", "SIGKILL"));
      const died = await until(() => victim.unasked.length > before, recoveryMaxMs);
      victim.startWith(plain); // else it would die again at the same point
      if (!died) throw new Error("the relay did not come to publish");
      victim.unasked.length = before;
      sinceMs = Date.now();
      return { facts: { at: "published, not written down" } };
    });
    await progress.step("takeOver", async () => {
      if (!(await until(async () => (await publishedTwice(stand)) > twiceBefore, recoveryMaxMs))) throw new Error("nobody took over");
      return { facts: { events: (await publishedTwice(stand)) - twiceBefore } };
    });
    await catchUp(stand, progress, { load, sinceMs });
    await progress.step("checkAll", async () => {
      progress.check("publishedAgain", "yes", (await publishedTwice(stand)) > twiceBefore ? "yes" : "no");
      await checkRecords(stand, progress, load);
    });
  });
}

/** Events whose entry was claimed more than once and is published. */
async function publishedTwice({ superuser }: Stand): Promise<number> {
  const [row] = await superuser.$client<{ n: number }[]>`select count(*)::int4 as n from outbox where state = 'PUBLISHED' and fence > 1`;
  return row?.n ?? 0;
}
