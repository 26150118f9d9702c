import { setTimeout as sleep } from "node:timers/promises";

/** Whether it came true in time; asked every 20 ms. */
export async function until(holds: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(20)) if (await holds()) return true;
  return false;
}
