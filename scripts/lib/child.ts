import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "@/scripts/lib/run";

export type Child = {
  name: string;
  pid: number | undefined;
  /** resolves when the process has ended */
  ended: Promise<number | null>;
  /** its last lines, for the message when it ends unasked */
  lastLines: string[];
  /** SIGTERM, and SIGKILL after `timeoutMs`, which is said on standard error; resolves when it has ended */
  stop: (timeoutMs?: number) => Promise<void>;
  /** whether `stop` had to kill it: what it had taken was left to leases and retries, which is no orderly end */
  wasKilled: () => boolean;
  /** as a power cut would: no clean-up */
  kill: () => void;
};

/** In the line about a process that hung when it was asked to end: whoever watches the output looks for it. */
export const HAD_TO_BE_KILLED = "did not end when asked and had to be killed";

const GUARD = pathToFileURL(path.join(ROOT, "scripts/lib/parent-guard.mjs")).href;

/**
 * Starts a Node process of the product that ends with this one, also when this one is killed. It has a session of its own: Ctrl-C in the
 * terminal reaches this process only, which stops the others in order.
 */
export function startChild(options: {
  name: string;
  file: string;
  args?: string[];
  env: Record<string, string | undefined>;
  onLine?: (line: string) => void;
}): Child {
  const child = spawn(process.execPath, ["--import", GUARD, options.file, ...(options.args ?? [])], {
    cwd: ROOT,
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { NODE_ENV: "production", PATH: process.env.PATH, HOME: process.env.HOME, NEXT_TELEMETRY_DISABLED: "1", ...options.env },
  });
  const lastLines: string[] = [];
  readLines(child, (line) => {
    lastLines.push(line);
    if (lastLines.length > 20) lastLines.shift();
    options.onLine?.(line);
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", (error) => {
      lastLines.push(error.message);
      resolve(-1);
    });
    child.once("close", (code) => resolve(code));
  });
  let wasKilled = false;
  return {
    name: options.name,
    pid: child.pid,
    ended,
    lastLines,
    stop: async (timeoutMs = 8_800) => {
      child.kill("SIGTERM");
      const late = setTimeout(() => {
        wasKilled = true;
        console.error(`the ${options.name} (process ${child.pid}) ${HAD_TO_BE_KILLED} after ${timeoutMs / 1000} s`);
        child.kill("SIGKILL");
      }, timeoutMs);
      await ended;
      clearTimeout(late);
    },
    wasKilled: () => wasKilled,
    kill: () => child.kill("SIGKILL"),
  };
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    let rest = "";
    stream?.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString("utf8")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line) onLine(line);
    });
  }
}
