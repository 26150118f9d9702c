import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type Child, startChild } from "@/scripts/lib/child";
import { ROOT } from "@/scripts/lib/run";

type Env = Record<string, string | undefined>;
/** A process with a supervisor, as in a deployment: whoever ends unasked, or is killed, is started again. */
export type Supervised = {
  name: string;
  role: string;
  pid: () => number;
  /** Starts of its own accord: it ended and nobody had killed it. Its last lines. */
  unasked: string[];
  /** kill -9; the supervisor starts it again, with `env` added from now on. */
  kill: (env?: Env) => void;
  /** Adds `env` at the next start. */
  startWith: (env: Env) => void;
  signal: (signal: NodeJS.Signals) => void;
  /** The kernel's letter: T is stopped. */
  state: () => string;
  /** Ends for good: in order, or by kill -9 when it is stopped. */
  end: () => Promise<void>;
};

const restartMs = 300;

export function supervise(options: { name: string; role: string; file: string; args?: string[]; env: Env }): Supervised {
  let child: Child;
  let asked = false;
  let over = false;
  let more: Env = {};
  const unasked: string[] = [];
  const start = () => {
    child = startChild({ name: options.name, file: options.file, args: options.args, env: { ...options.env, ...more } });
    const { ended, lastLines } = child;
    void ended.then(async () => {
      if (over) return;
      if (!asked) unasked.push(`${options.name} ended unasked: ${lastLines.slice(-4).join(" | ")}`);
      asked = false;
      await sleep(restartMs);
      if (!over) start();
    });
  };
  start();
  const state = () => stateOf(child.pid);
  return {
    name: options.name,
    role: options.role,
    pid: () => child.pid ?? 0,
    unasked,
    kill: (env = {}) => {
      more = { ...more, ...env };
      asked = true;
      child.kill();
    },
    startWith: (env) => {
      more = { ...more, ...env };
    },
    signal: (signal) => process.kill(child.pid ?? 0, signal),
    state,
    end: async () => {
      over = true;
      if (state() === "T") child.kill();
      await child.stop();
    },
  };
}

function stateOf(pid: number | undefined): string {
  try {
    return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1] ?? "";
  } catch {
    return "";
  }
}

const preload = (file: string) => `--import ${pathToFileURL(path.join(ROOT, "scripts/kill", file)).href}`;

/** The environment of a process that meets `signal` at a named point. */
export const atPoint = (point: string, signal: "SIGSTOP" | "SIGKILL", nth = 1): Env => ({
  NODE_OPTIONS: preload("at-point.mjs"),
  AT_POINT: point,
  AT_POINT_SIGNAL: signal,
  AT_POINT_NTH: String(nth),
});

/** The environment of a process whose wall clock is wrong. */
export const skewedBy = (skewMs: number): Env => ({ NODE_OPTIONS: preload("skew-clock.mjs"), SKEW_MS: String(skewMs) });

/** The environment of a process with nothing loaded before it. */
export const plain: Env = { NODE_OPTIONS: undefined, AT_POINT: undefined, SKEW_MS: undefined };
