import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Runs `work` while no other process of this machine runs its own under the same lock file, and waits for that one otherwise. The lock of a
 * process that is gone counts as free.
 * @param onWait called once when it has to wait
 */
export async function withLock<T>(file: string, work: () => Promise<T>, onWait: (pid: number) => void = () => {}): Promise<T> {
  mkdirSync(path.dirname(file), { recursive: true });
  for (let waited = false; ; ) {
    const holder = take(file);
    if (holder === undefined) break;
    if (!waited) onWait(holder);
    waited = true;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** The pid of the living holder, or undefined when the lock is now ours. */
function take(file: string): number | undefined {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return undefined;
  } catch {
    const holder = Number(read(file));
    if (holder > 0 && isAlive(holder)) return holder;
    rmSync(file, { force: true });
    return take(file);
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // released meanwhile
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
