// The receipt of a replay, as the sweep cuts it: reading it changes nothing, taking it away is an entry of the audit or did not happen, and what is said is
// what is stored.
import { withRead } from "@/db/client";
import { exportReceipt } from "@/server/domain/replay/export-receipt";
import { listReplayItems, readReplayJob } from "@/server/domain/replay/read-jobs";
import type { Handles, Operation, World } from "./operation";
import { type Data, operatorOf, queued, requestOf, runToItsEnd } from "./replay-world";

const itemsMax = 100;

/** Page and file of the same receipt, in one line each. */
async function readAndTake({ web }: Pick<Handles, "web">, data: Data) {
  const actor = operatorOf(data);
  const scope = { tenantGroupId: actor.tenantGroupId, clinicIds: actor.clinicIds };
  const requestId = data.requestId as string;
  const shown = await withRead(web, actor, async (tx) => ({
    job: await readReplayJob(tx, scope, requestId),
    items: await listReplayItems(tx, requestId, 0, itemsMax),
  }));
  return { shown: told(shown), taken: told(await exportReceipt(web, actor, scope, requestId)) };
}

type Told = { job: Awaited<ReturnType<typeof readReplayJob>>; items: { outcome: string | null; successes: number }[] };
const told = ({ job, items }: Told): string =>
  [
    job?.state,
    job?.records,
    ...Object.values(job?.counts ?? {}),
    ...items.map(({ outcome, successes }) => `${outcome} ${successes}`),
  ].join();
const whole = "COMPLETED,2,2,0,0,0,0,0,PROCESSED 1,PROCESSED 1";

const recordsOf = async (world: World, data: Data) => JSON.stringify(await requestOf(world, data));
const takenOf = async ({ superuser }: World, data: Data): Promise<number> =>
  (
    await superuser.$client`
      select count(*)::int4 as n from audit_entries where subject_id = ${data.requestId as string} and act = 'replay.exported' and result = 'DONE'`
  )[0]?.n;

export const receiptOperation: Operation = {
  name: "replay receipt",
  async prepare(world, n) {
    const data = await queued(world, n);
    await runToItsEnd(world, data);
    return { ...data, before: await recordsOf(world, data) };
  },
  act: readAndTake,
  async inspect(world, data, report) {
    const taken = await takenOf(world, data);
    const found: string[] = [];
    if ((await recordsOf(world, data)) !== data.before) found.push("reading a receipt changed it");
    if (taken > 1 || (report.answer && taken !== 1)) found.push(`taken away once, and the audit says ${taken} times`);
    for (const said of Object.values(report.answer ?? {})) if (said !== whole) found.push(`told ${said}, and not ${whole}`);
    return found;
  },
  async retry(world, data) {
    const before = await takenOf(world, data);
    const { shown, taken } = await readAndTake(world, data);
    const now = await takenOf(world, data);
    return shown === whole && taken === whole && now === before + 1 ? [] : [`told ${shown} and ${taken}; ${now} entries after ${before}`];
  },
};
