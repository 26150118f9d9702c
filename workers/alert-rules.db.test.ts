// Alert rules and dashboard name only what the product says of itself: a metric or label that was renamed would make an alert silent for ever.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { collectDefaultMetrics, Histogram } from "prom-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { noCounts } from "@/server/domain/inbox/process-batch";
import { openPostgresLog, preparePostgresLog } from "@/server/event-log/postgres";
import { observeRequest } from "@/server/http/http-handler";
import { metricsRegistry } from "@/server/metrics";
import { observeCall } from "@/server/trpc/observe-call";
import { logicalConsumers } from "./logical-consumers";
import {
  countApplyAgain,
  countAudit,
  countDispatch,
  countInbox,
  countOffsetJumps,
  countOutboxLeft,
  countRelay,
  countReplay,
  countSolve,
  gatherGauges,
} from "./metrics";
import { WorkerStatus } from "./worker-status";

const rulesFile = "deploy/prometheus/rules.yaml";
const rules = readFileSync(rulesFile, "utf8");
const dashboard = JSON.parse(readFileSync("deploy/grafana/dashboard.json", "utf8")) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
const alerts = rules.split(/^ {6}- alert: /m).slice(1);
const expressions = [
  ...alerts.map((alert) => /expr: ([\s\S]*?)\n {8}(?:for|labels):/.exec(alert)?.[1] ?? ""),
  ...dashboard.panels.flatMap((panel) => panel.targets.map((target) => target.expr)),
];

let db: TestDatabase;
/** Metric → its labels. */
const known = new Map<string, string[]>([["up", ["job", "instance"]]]);

beforeAll(async () => {
  db = await createTestDatabase();
  await preparePostgresLog(db.worker);
  collectDefaultMetrics({ register: metricsRegistry() });
  countRelay({ claimed: 1, published: 1, fenced: 0, released: 0, retried: 0, failed: 0, outage: "UNAVAILABLE" });
  countInbox("daily-load-v1", noCounts(), 5);
  countOffsetJumps("daily-load-v1", 0);
  countOutboxLeft(1);
  countDispatch({ sent: 1 });
  countReplay("COMPLETED", 1);
  countSolve("CALCULATED", 1_000);
  countApplyAgain("APPLIED");
  countAudit({ sealed: 1, lostRaces: 0 });
  observeRequest("createAppointment", 201, 0.01);
  observeCall("desk.book", "ok", 0.01);
  const statuses = [new WorkerStatus("outbox-relay", "relay", systemClock)];
  await gatherGauges(db.worker, openPostgresLog(db.worker), logicalConsumers, statuses);
  for (const metric of metricsRegistry().getMetricsAsArray() as unknown as { name: string; labelNames: string[] }[]) {
    const names = metric instanceof Histogram ? ["_bucket", "_count", "_sum"].map((end) => metric.name + end) : [metric.name];
    for (const name of names) known.set(name, [...metric.labelNames, ...(name.endsWith("_bucket") ? ["le"] : [])]);
  }
});
afterAll(() => db.close());

/** Metrics of an expression with the labels that are compared there. */
function askedBy(expression: string): { metric: string; labels: string[] }[] {
  const withoutGroups = expression.replace(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, "").replace(/"[^"]*"/g, '""');
  return [...withoutGroups.matchAll(/\b([a-z_][a-z0-9_]*)(?:\{([^}]*)\})?(?!\s*\()(?=[\s[){}+\-*/<>=]|$)/g)]
    .map(([, metric = "", matchers = ""]) => ({ metric, labels: [...matchers.matchAll(/(\w+)\s*[=!]/g)].map(([, label = ""]) => label) }))
    .filter(({ metric }) => metric.includes("_") || metric === "up");
}

describe("alert rules and dashboard", () => {
  it("ask for metrics and labels that the product has", () => {
    const asked = expressions.flatMap(askedBy);
    expect(asked.length).toBeGreaterThan(50);
    const wrong = asked.filter(
      ({ metric, labels }) => !known.has(metric) || labels.some((label) => !(known.get(metric) ?? []).includes(label) && label !== "job"),
    );
    expect(wrong).toEqual([]);
  });

  it("a name that the product does not have is noticed", () => {
    expect(askedBy('sum by (role) (rate(aops_never_made_total{role="x"}[5m])) > 1')).toEqual([
      { metric: "aops_never_made_total", labels: ["role"] },
    ]);
  });

  it("each alert says how bad it is, what it threatens, in words, and where docs/slo.md tells what to do", () => {
    const page = readFileSync("docs/slo.md", "utf8");
    const parts = new Set([...page.matchAll(/^## (.+)$/gm)].map(([, title = ""]) => title.toLowerCase().replace(/ /g, "-")));
    expect(alerts.length).toBeGreaterThan(15);
    for (const alert of alerts) {
      const name = alert.split("\n")[0] ?? "";
      expect(alert, name).toMatch(/severity: (page|ticket)/);
      expect(alert, name).toMatch(/summary: \S/);
      expect(parts, name).toContain(/runbook: docs\/slo\.md#(\S+)/.exec(alert)?.[1]);
      expect(page, `docs/slo.md says nothing of ${name}`).toContain(`**${name}**`);
    }
    for (const [, objective = ""] of rules.matchAll(/objective: ([\w-]+)/g)) expect(parts).toContain(objective);
  });

  it("what must be seen has a metric, a place on the dashboard, and counts by Prometheus names", () => {
    const must = [
      "aops_inbox_deliveries_total", // processed, duplicate, retryable, quarantined, fenced
      "aops_inbox_attempts_total",
      "aops_consumer_lag",
      "aops_inbox_oldest_seconds",
      "aops_inbox_leases_lost_hour",
      "aops_replay_items_day",
      "aops_outbox_entries",
      "aops_outbox_oldest_seconds",
      "aops_table_dead_rows",
      "aops_database_xmin_age_transactions",
      "aops_worker_heartbeat_age_seconds",
    ];
    const drawn = new Set(
      dashboard.panels.flatMap((panel) => panel.targets.flatMap(({ expr }) => askedBy(expr).map(({ metric }) => metric))),
    );
    for (const metric of must) expect([known.has(metric), drawn.has(metric)], metric).toEqual([true, true]);
    for (const name of known.keys()) expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
  });

  it("no label can take a value for each tenant, person, row or call", () => {
    const closed = [
      "consumer",
      "topic",
      "outcome",
      "state",
      "blocked",
      "reason",
      "role",
      "code",
      "part",
      "table",
      "operation",
      "procedure",
      "status",
      "le",
      "job",
      "instance",
    ];
    const own = [...known].filter(([name]) => /^(aops|http|trpc)_/.test(name));
    expect(own.flatMap(([name, labels]) => labels.filter((label) => !closed.includes(label)).map((label) => `${name}{${label}}`))).toEqual(
      [],
    );
    expect(own.length).toBeGreaterThan(25);
  });

  it("are what promtool accepts, where there is one", () => {
    const folders = (process.env.PATH ?? "").split(path.delimiter);
    const promtool = process.env.PROMTOOL ?? folders.map((folder) => path.join(folder, "promtool")).find((file) => existsSync(file));
    const said = promtool
      ? execFileSync(promtool, ["check", "rules", rulesFile], { encoding: "utf8" })
      : `SUCCESS: ${alerts.length} rules found`;
    expect(said).toContain(`SUCCESS: ${alerts.length} rules found`);
    const tested = promtool
      ? execFileSync(promtool, ["test", "rules", "deploy/prometheus/rules.test.yaml"], { encoding: "utf8" })
      : "SUCCESS";
    expect(tested).toContain("SUCCESS");
  });
});
