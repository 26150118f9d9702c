import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { ROOT } from "@/scripts/lib/run";
import { type Measured, median, ratioOf } from "./rounds";

export type Bar = { atLeast: number } | { atMost: number };
export type Row = {
  suite: string;
  what: string;
  unit: string;
  ours?: number;
  baseline?: string;
  baselineFigure?: number;
  ratio?: number;
  bar?: Bar;
  /** Of our figure over the rounds. */
  spread?: [number, number];
  /** What a peer does not promise, why there is no figure, what a reader must know. */
  note?: string;
};

export const passes = ({ ratio, bar }: Row): boolean | undefined =>
  ratio === undefined || bar === undefined ? undefined : "atLeast" in bar ? ratio >= bar.atLeast : ratio <= bar.atMost;

/** A row from two sides of the same rounds. */
export function compared(
  measured: Measured,
  row: Pick<Row, "suite" | "what" | "unit" | "bar" | "note"> & { ours: string; baseline: string },
): Row {
  const ours = measured.of(row.ours);
  const baseline = measured.of(row.baseline);
  return {
    ...row,
    ours: median(ours),
    baselineFigure: median(baseline),
    ratio: ratioOf(ours, baseline),
    spread: [Math.min(...ours), Math.max(...ours)],
  };
}

/** A row of one side alone: a peer or a floor, for its absolute figure. */
export function alone(measured: Measured, row: Pick<Row, "suite" | "what" | "unit" | "note"> & { side: string }): Row {
  const { side, ...rest } = row;
  const figures = measured.of(side);
  return { ...rest, ours: median(figures), spread: [Math.min(...figures), Math.max(...figures)] };
}

/** A row whose bar is a limit of its own and no other side. */
export const limited = (row: Pick<Row, "suite" | "what" | "note">, ms: number, maxMs: number): Row => ({
  ...row,
  unit: "ms",
  ours: ms,
  baseline: `${maxMs} ms`,
  baselineFigure: maxMs,
  ratio: ms / maxMs,
  bar: { atMost: 1 },
});

export const notMeasured = (suite: string, what: string, why: string): Row => ({ suite, what, unit: "", note: `not measured: ${why}` });

const headings = ["what", "ours", "baseline", "its figure", "ratio", "bar", ""];

export function printTable(suite: string, rows: Row[]): void {
  const cells = [headings, ...rows.map(toCells)];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const line = (row: string[]) =>
    row.map((cell, i) => (i === 0 || i === 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  ");
  console.log(`\n${suite}`);
  console.log(`  ${line(cells[0] as string[])}`);
  for (const [index, row] of rows.entries()) {
    console.log(`  ${line(cells[index + 1] as string[]).trimEnd()}`);
    if (row.note) console.log(`      ${row.note}`);
  }
}

function toCells(row: Row): string[] {
  const passed = passes(row);
  return [
    row.what,
    row.ours === undefined ? "" : `${figure(row.ours)} ${row.unit}`,
    row.baseline ?? "",
    row.baselineFigure === undefined ? "" : `${figure(row.baselineFigure)} ${row.unit}`,
    row.ratio === undefined ? "" : row.ratio.toFixed(row.ratio < 0.1 ? 3 : 2),
    row.bar === undefined ? "" : "atLeast" in row.bar ? `>= ${row.bar.atLeast}` : `<= ${row.bar.atMost}`,
    passed === undefined ? "" : passed ? "pass" : "MISS",
  ];
}

const figure = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(Math.abs(value) >= 10 ? 1 : 2);

/** One file a run and `latest-<suite>.json`, so that a figure can be found again. */
export function writeJson(rows: Row[], facts: Record<string, unknown>): string {
  const dir = path.join(ROOT, ".data/bench");
  mkdirSync(dir, { recursive: true });
  const at = new Date().toISOString();
  const machine = { cpus: os.cpus().length, cpu: os.cpus()[0]?.model, memoryMb: Math.round(os.totalmem() / 1e6), node: process.version };
  const report = { at, commit: commit(), machine, load: os.loadavg(), ...facts };
  const file = path.join(dir, `${at.replaceAll(":", "-").slice(0, 19)}.json`);
  writeFileSync(file, `${JSON.stringify({ ...report, rows: rows.map((row) => ({ ...row, passed: passes(row) })) }, null, 2)}\n`);
  for (const suite of new Set(rows.map((row) => row.suite))) {
    const own = rows.filter((row) => row.suite === suite).map((row) => ({ ...row, passed: passes(row) }));
    writeFileSync(path.join(dir, `latest-${suite}.json`), `${JSON.stringify({ ...report, rows: own }, null, 2)}\n`);
  }
  return path.relative(ROOT, file);
}

function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "unknown"; // an archive without its history
  }
}
