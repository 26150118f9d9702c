import { existsSync, readFileSync } from "node:fs";

export type Counts = { passed: number; failed: number; skipped: number };

/** Adds up a run's parts. */
export const add = (a: Counts, b: Counts): Counts => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});

/**
 * Counts of a vitest JSON report. A file that could not even be loaded holds no failed test, and a run that ended badly may have left none:
 * each counts as one failure, so that nothing that went wrong adds up to "0 failed".
 */
export function countVitest(reportFile: string, exitCode: number): Counts {
  if (!existsSync(reportFile)) return { passed: 0, failed: 1, skipped: 0 };
  const report = JSON.parse(readFileSync(reportFile, "utf8")) as {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
    numTodoTests: number;
    testResults: { status: string; assertionResults: { status: string }[] }[];
  };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  const failed = report.numFailedTests + brokenFiles.length;
  return {
    passed: report.numPassedTests,
    failed: failed || (exitCode === 0 ? 0 : 1),
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** Counts of a Playwright JSON report; a flaky test passed in the end, and retries are off. */
export function countPlaywright(reportFile: string, exitCode: number): Counts {
  if (!existsSync(reportFile)) return { passed: 0, failed: 1, skipped: 0 };
  const { stats, errors } = JSON.parse(readFileSync(reportFile, "utf8")) as {
    stats: { expected: number; unexpected: number; flaky: number; skipped: number };
    errors: unknown[];
  };
  const failed = stats.unexpected + errors.length;
  return { passed: stats.expected + stats.flaky, failed: failed || (exitCode === 0 ? 0 : 1), skipped: stats.skipped };
}

/** The line that a run ends with, alone. */
export const lastLine = ({ passed, failed }: Counts): string => `${passed} passed, ${failed} failed`;
