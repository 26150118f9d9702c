import { readFileSync } from "node:fs";

const everyMs = 500;

/**
 * Calls `onGone` once when one of the processes between this one and its npm is gone. A signal that is sent to npm alone ends npm and the shell that it
 * starts scripts with, and reaches nobody below them; kill -9 of npm reaches nobody at all. Started without npm, the direct parent alone is watched.
 * @returns ends the watch
 */
export function watchAncestors(onGone: () => void, self = process.pid): () => void {
  const links = linksUpToNpm(self);
  const timer = setInterval(() => {
    if (links.every(({ child, parent }) => parentOf(child) === parent)) return;
    clearInterval(timer);
    onGone();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

type Link = { child: number; parent: number };

/** npm calls itself by its command in the list of processes, e.g. "npm run demo". What started npm is none of our business. */
function linksUpToNpm(self: number): Link[] {
  const links: Link[] = [];
  for (let child = self; links.length < 5; ) {
    const parent = parentOf(child);
    if (parent === undefined || parent <= 1) break;
    links.push({ child, parent });
    if (/^npm /.test(commandOf(parent))) return links;
    child = parent;
  }
  return links.slice(0, 1);
}

/** Undefined when the process is gone or the system does not say. */
function parentOf(pid: number): number | undefined {
  if (pid === process.pid) return process.ppid;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
