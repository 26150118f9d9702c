import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = path.dirname(import.meta.dirname);

/** One forbidden import for each rule: the file, what it says, the rule that must refuse it. */
const FORBIDDEN: [rule: string, file: string, text: string][] = [
  ["domain-is-framework-free", "server/domain/appointments/a.ts", 'import { headers } from "next/headers";\nexport const a = headers;'],
  ["domain-is-framework-free", "server/domain/appointments/b.ts", 'import { Kafka } from "kafkajs";\nexport const b = Kafka;'],
  ["domain-is-framework-free", "server/domain/appointments/c.ts", 'import type { ReactNode } from "react";\nexport type C = ReactNode;'],
  ["domain-is-framework-free", "server/domain/appointments/d.ts", 'import { initTRPC } from "@trpc/server";\nexport const d = initTRPC;'],
  ["domain-knows-no-edge", "server/domain/clinics/e.ts", 'import { ok } from "@/server/auth/ok";\nexport const e = ok;'],
  ["plumbing-knows-no-business", "server/domain/outbox/f.ts", 'import { ok } from "@/server/domain/patients/ok";\nexport const f = ok;'],
  ["operations-is-a-reader", "server/domain/clinics/g.ts", 'import { ok } from "@/server/domain/operations/ok";\nexport const g = ok;'],
  ["app-holds-no-sql", "app/h.tsx", 'import { ok } from "@/db/ok";\nexport const h = ok;'],
  ["app-holds-no-sql", "app/i.tsx", 'import { sql } from "drizzle-orm";\nexport const i = sql;'],
  ["app-goes-through-the-edge", "app/j.tsx", 'import { ok } from "@/server/domain/patients/ok";\nexport const j = ok;'],
  ["server-draws-nothing", "server/http/k.ts", 'import { ok } from "@/app/ok";\nexport const k = ok;'],
  ["db-is-the-bottom", "db/l.ts", 'import { ok } from "@/server/domain/patients/ok";\nexport const l = ok;'],
  [
    "event-log-adapters-know-the-port-only",
    "server/event-log/m.ts",
    'import { ok } from "@/server/domain/patients/ok";\nexport const m = ok;',
  ],
  ["only-the-adapter-speaks-kafka", "workers/n.ts", 'import { Kafka } from "kafkajs";\nexport const n = Kafka;'],
  ["processes-use-the-domain", "workers/o.ts", 'import { ok } from "@/server/auth/ok";\nexport const o = ok;'],
  ["processes-use-the-domain", "scripts/o.ts", 'export const o = () => import("@/app/ok");'],
  ["e2e-uses-http", "e2e/p.ts", 'import { ok } from "@/server/domain/patients/ok";\nexport const p = ok;'],
  ["testing-is-not-shipped", "workers/q.ts", 'import { ok } from "@/db/testing/ok";\nexport const q = ok;'],
  ["no-dev-dependency-in-production", "server/http/r.ts", 'import fc from "fast-check";\nexport const r = fc;'],
  ["no-cycles", "server/domain/clinics/s.ts", 'import { t } from "./t";\nexport const s = () => t;'],
  ["resolvable", "server/domain/clinics/u.ts", 'import { gone } from "@/server/gone";\nexport const u = gone;'],
];

/** Imports that look alike and are right: a rule that refuses them is too wide. */
const ALLOWED: [file: string, text: string][] = [
  ["server/domain/clinics/t.ts", 'import { s } from "./s";\nexport const t = () => s;'],
  ["server/auth/ok.ts", 'import { ok as domain } from "@/server/domain/patients/ok";\nexport const ok = domain;'],
  ["server/domain/patients/ok.ts", 'import { ok as db } from "@/db/ok";\nimport { sql } from "drizzle-orm";\nexport const ok = [db, sql];'],
  ["server/domain/patients/states.ts", "export const states = [];"],
  ["server/domain/operations/ok.ts", 'import { ok as patients } from "@/server/domain/patients/ok";\nexport const ok = patients;'],
  ["server/event-log/kafka.ts", 'import { Kafka } from "kafkajs";\nexport const log = Kafka;'],
  ["server/trpc/root.ts", 'import { ok } from "@/server/domain/operations/ok";\nexport type AppRouter = typeof ok;'],
  [
    "app/ok.tsx",
    'import { states } from "@/server/domain/patients/states";\nimport { ok as auth } from "@/server/auth/ok";\nexport const ok = [states, auth];',
  ],
  ["app/types.tsx", 'import type { ok } from "@/server/domain/patients/ok";\nexport type T = typeof ok;'],
  ["app/client.tsx", 'import type { AppRouter } from "@/server/trpc/root";\nexport type R = AppRouter;'],
  ["workers/main.ts", 'import { ok } from "@/server/domain/patients/ok";\nexport const main = ok;'],
  ["db/ok.ts", "export const ok = 1;"],
  ["db/testing/ok.ts", 'import fc from "fast-check";\nexport const ok = fc;'],
  ["e2e/ok.ts", 'import { ok as rows } from "@/db/testing/ok";\nexport const ok = rows;'],
];

let copy: string;
let report: { modules: { source: string; dependencies: { resolved: string; dependencyTypes: string[] }[] }[]; violations: Violation[] };
type Violation = { from: string; to: string; rule: { name: string; severity: string }; comment?: string };

beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), "forbidden-imports-"));
  cpSync(path.join(root, "tsconfig.json"), path.join(copy, "tsconfig.json"));
  cpSync(path.join(root, "package.json"), path.join(copy, "package.json"));
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
  for (const [file, text] of [...FORBIDDEN.map(([, file, text]) => [file, text] as const), ...ALLOWED]) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    writeFileSync(path.join(copy, file), `${text}\n`);
  }
  const json = run("--output-type", "json").stdout;
  const parsed = JSON.parse(json) as { modules: (typeof report)["modules"]; summary: { violations: Violation[] } };
  report = { modules: parsed.modules, violations: parsed.summary.violations };
}, 60_000);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function run(...options: string[]) {
  return spawnSync(process.execPath, [path.join(root, "tools/cruise.mjs"), ...options], {
    cwd: copy,
    encoding: "utf8",
    maxBuffer: 50_000_000,
  });
}

describe("the arrows between the folders", () => {
  test.each(FORBIDDEN)("%s refuses %s", (rule, file) => {
    const found = report.violations.filter((violation) => violation.from === file);
    expect(found.map((violation) => [violation.rule.name, violation.rule.severity])).toContainEqual([rule, "error"]);
  });

  test("right imports are not refused", () => {
    const right = new Set(ALLOWED.map(([file]) => file));
    right.delete("server/domain/clinics/t.ts"); // the other half of the cycle
    expect(report.violations.filter((violation) => right.has(violation.from))).toEqual([]);
  });

  test("TypeScript imports are seen, and type-only ones are known as such", () => {
    const edges = (file: string) => report.modules.find((module) => module.source === file)?.dependencies ?? [];
    expect(
      edges("app/ok.tsx")
        .map((edge) => edge.resolved)
        .sort(),
    ).toEqual(["server/auth/ok.ts", "server/domain/patients/states.ts"]);
    expect(edges("app/types.tsx")[0]?.dependencyTypes).toContain("type-only");
    expect(edges("app/ok.tsx")[0]?.dependencyTypes).not.toContain("type-only");
  });

  test("the check fails with the reason of each broken rule in its message", () => {
    const result = run();
    expect(result.status).not.toBe(0);
    for (const reason of [
      "Arrows point inward",
      "edges (log, provider, clock) come in as arguments",
      "SQL and business rules live in server/domain",
    ])
      expect(result.stdout.replace(/\s+/g, " ")).toContain(reason);
  });
});
