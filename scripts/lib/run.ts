import { spawn } from "node:child_process";
import path from "node:path";

export const ROOT = path.resolve(import.meta.dirname, "../..");

export type Finished = { code: number; output: string; seconds: number };

/** Runs a program of the repository to its end and keeps what it says; `show` passes every chunk on as it comes; `signal` ends it. */
export function run(
  command: string,
  args: string[],
  options: { env?: Record<string, string>; show?: boolean; cwd?: string; signal?: AbortSignal } = {},
): Promise<Finished> {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      signal: options.signal,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...options.env },
    });
    let output = "";
    const keep = (to: NodeJS.WriteStream) => (chunk: Buffer) => {
      output += chunk.toString("utf8");
      if (options.show) to.write(chunk);
    };
    child.stdout.on("data", keep(process.stdout));
    child.stderr.on("data", keep(process.stderr));
    const finish = (code: number) => resolve({ code, output, seconds: (performance.now() - started) / 1000 });
    child.once("error", (error) => {
      output += error.message;
      finish(127);
    });
    child.once("close", (code) => finish(code ?? 1));
  });
}

/** Path of a program that a dependency brings. */
export const bin = (name: string): string => path.join(ROOT, "node_modules/.bin", name);
