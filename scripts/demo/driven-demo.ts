import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { freePort } from "@/db/testing/embedded-postgres";
import { until } from "@/scripts/kill/until";
import { ROOT } from "@/scripts/lib/run";

/** For what hangs; a busy machine takes its time. */
const patienceMs = 300_000;
/** Longer than an end may take, so that one that was too slow is told from one that never came. */
const endPatienceMs = 60_000;

export type DrivenDemo = {
  output: () => string;
  /** Waits for a text of its output. @throws Error with the end of the output when it does not come */
  says: (text: RegExp) => Promise<RegExpExecArray>;
  /** Waits until the demo is in use. */
  ready: () => Promise<{ origin: string; apiToken: string }>;
  /** Ctrl-C: the terminal sends it to everything in its foreground. */
  pressCtrlC: () => void;
  /** To the process of npm alone. */
  signalNpm: (signal: NodeJS.Signals) => void;
  /** Waits until every process that it had started, as seen by `look`, is gone. @throws Error that names those that stay */
  gone: () => Promise<number>;
  /** Notes which processes there are now. */
  look: () => number;
};

/** Starts `npm run demo` as a person at a terminal would, on a free port, with its data in `data`. */
export async function driveDemo(data: string, more: string[] = []): Promise<DrivenDemo> {
  const port = await freePort();
  const npm = spawn("npm", ["run", "demo", "--", "--port", String(port), "--data", data, ...more], {
    cwd: ROOT,
    detached: true, // a group of its own, as a terminal gives it
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, npm_config_update_notifier: "false" },
  });
  const pid = npm.pid ?? 0;
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  let isOver = false;
  npm.once("close", () => {
    isOver = true; // npm has ended, and nobody holds its output any more
  });
  let seen = new Map<number, string>();
  const look = () => {
    seen = new Map([...seen, ...descendants(pid)]);
    return seen.size;
  };
  const says = async (text: RegExp) => {
    let found: RegExpExecArray | null = null;
    await until(() => {
      found = text.exec(output);
      return found !== null || isOver;
    }, patienceMs);
    if (!found) throw new Error(`the demo did not say ${text}; it said:\n${output.split("\n").slice(-15).join("\n")}`);
    return found as RegExpExecArray;
  };
  return {
    output: () => output,
    says,
    ready: async () => {
      const [, origin = ""] = await says(/^ {2}(http:\/\/127\.0\.0\.1:\d+)$/m);
      const [, apiToken = ""] = await says(/API token: +(\S+)/);
      await says(/Ctrl-C ends everything/);
      return { origin, apiToken };
    },
    pressCtrlC: () => {
      process.kill(-pid, "SIGINT");
    },
    signalNpm: (signal) => {
      process.kill(pid, signal);
    },
    look,
    gone: async () => {
      const since = performance.now();
      const left = () => [...seen].filter(([one, identity]) => identityOf(one) === identity).map(([one]) => one);
      if (!(await until(() => left().length === 0, endPatienceMs)))
        throw new Error(
          `still there: ${left()
            .map((one) => `${one} ${commandOf(one)}`)
            .join("; ")}`,
        );
      return performance.now() - since;
    },
  };
}

/** Everything below `root` and itself, with what tells a process from a later one of the same number. */
function descendants(root: number): Map<number, string> {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) if (/^\d+$/.test(name)) parents.set(Number(name), Number(statOf(Number(name))?.[1] ?? 0));
  const isBelow = (pid: number): boolean => pid === root || (pid > 1 && isBelow(parents.get(pid) ?? 0));
  return new Map([...parents.keys()].filter(isBelow).map((pid) => [pid, identityOf(pid)]));
}

/** Fields of a process behind its name: state, parent …; undefined when it is gone. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** Its start time; empty when it has ended, also while nobody has taken notice of that yet. */
function identityOf(pid: number): string {
  const stat = statOf(pid);
  return !stat || stat[0] === "Z" ? "" : `${stat[19]}`;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").slice(0, 120);
  } catch {
    return "";
  }
}
