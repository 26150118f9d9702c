import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { bin, ROOT, run } from "@/scripts/lib/run";
import type { Guard } from "./guard";

const reports = path.join(ROOT, ".data/guards");
let made = 0;

export type TestEnd = { file: string; test: string; status: string; message: string };

/**
 * Runs the named tests of the named files on a server that is there already, with `guard` taken out, and answers how each of them ended.
 * A file that could not be loaded has no test: then the answer is empty, and nothing was proven. `output`: what vitest said.
 */
export async function runTests(
  killers: readonly Guard["killer"][],
  postgres: { superuserUrl: string; template: string },
  guard?: Guard,
): Promise<{ ends: TestEnd[]; output: string }> {
  made += 1;
  const report = path.join(reports, `report-${made}.json`);
  rmSync(report, { force: true });
  const files = [...new Set(killers.map(({ file }) => file))];
  const names = [...new Set(killers.map(({ test }) => escaped(test)))].join("|");
  const args = ["run", "--config", "scripts/guards/vitest.config.ts", "--reporter=json", `--outputFile=${report}`, "-t", names, ...files];
  const env = { GUARD: guard?.name ?? "", GUARD_POSTGRES: JSON.stringify(postgres), LOG_LEVEL: "silent" };
  const { output } = await run(bin("vitest"), args, { env });
  const ends = readEnds(report);
  rmSync(report, { force: true });
  return { ends, output };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

type Report = {
  testResults: { name: string; assertionResults: { title: string; status: string; failureMessages?: string[] }[] }[];
};

function readEnds(report: string): TestEnd[] {
  let read: Report;
  try {
    read = JSON.parse(readFileSync(report, "utf8")) as Report;
  } catch {
    return [];
  }
  return read.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "passed" || status === "failed")
      .map(({ title, status, failureMessages }) => ({
        file: path.relative(ROOT, name),
        test: title,
        status,
        message: failureMessages?.[0]?.split("\n")[0] ?? "",
      })),
  );
}
