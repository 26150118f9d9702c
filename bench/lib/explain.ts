import { type Db, type TxActor, withTx } from "@/db/client";

export type Explained = { shape: string; rows: number; buffers: number; ms: number; scanned: string[] };
type Plan = {
  "Node Type": string;
  "Index Name"?: string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Plan[];
};
class RolledBack extends Error {}

/**
 * What the product really sends: runs `work` once, catches its statements as the driver sends them, and asks EXPLAIN (ANALYZE, BUFFERS) of each again in
 * a transaction of the same actor that is rolled back. Sums over the statements; `shape` names every node with its index or table.
 * A table of a few pages is read whole by any planner, so small and large are compared by index; `scanned` are the tables that the plan
 * as it is reads whole. `undo`: puts back what running `work` changed.
 */
export async function explain(db: Db, actor: TxActor, work: () => Promise<unknown>, undo?: () => Promise<unknown>): Promise<Explained> {
  const sent = await capture(db, work);
  await undo?.();
  const found: Explained = { shape: "", rows: 0, buffers: 0, ms: 0, scanned: [] };
  const shapes: string[] = [];
  for (const { text, values } of sent) {
    const asItIs = await planOf(db, actor, text, values, true);
    found.scanned.push(...scannedBy(asItIs.root));
    const plan = await planOf(db, actor, text, values, false);
    shapes.push(shapeOf(plan.root));
    found.rows += rowsOf(plan.root);
    found.buffers += plan.root["Shared Hit Blocks"] + plan.root["Shared Read Blocks"];
    found.ms += plan.ms;
  }
  return { ...found, shape: shapes.join(" ; ") };
}

type Sent = { text: string; values: unknown[] };

/** The statements between BEGIN and COMMIT, without the settings. postgres.js asks options.debug at each. */
export async function capture(db: Db, work: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const options = db.$client.options as { debug?: unknown };
  options.debug = (_connection: number, text: string, values: unknown[]) => {
    if (!/^\s*(begin|commit|rollback|savepoint|release|set local)/i.test(text)) sent.push({ text, values: [...values] });
  };
  try {
    await work();
  } finally {
    options.debug = false;
  }
  return sent;
}

async function planOf(db: Db, actor: TxActor, text: string, values: unknown[], mayScan: boolean): Promise<{ root: Plan; ms: number }> {
  let answer: { Plan: Plan; "Execution Time": number } | undefined;
  const ask = withTx(db, actor, async (tx) => {
    if (!mayScan) for (const way of ["seqscan", "hashjoin", "mergejoin"]) await tx.sql.unsafe(`set local enable_${way} = off`);
    const [row] = await tx.sql.unsafe<{ "QUERY PLAN": unknown }[]>(`explain (analyze, buffers, format json) ${text}`, values as never[]);
    const found = row?.["QUERY PLAN"];
    [answer] = (typeof found === "string" ? JSON.parse(found) : found) as [typeof answer];
    throw new RolledBack();
  });
  await ask.catch((error) => {
    if (!(error instanceof RolledBack)) throw error;
  });
  if (!answer) throw new Error("EXPLAIN answered nothing");
  return { root: answer.Plan, ms: answer["Execution Time"] };
}

const shapeOf = (plan: Plan): string => {
  const name = plan["Index Name"] ?? plan["Relation Name"];
  const own = name ? `${plan["Node Type"]} ${name}` : plan["Node Type"];
  return plan.Plans ? `${own} (${plan.Plans.map(shapeOf).join(", ")})` : own;
};

/** Rows that the scans gave: what had to be read, whatever is made of it above. */
const rowsOf = (plan: Plan): number =>
  (plan.Plans ?? []).reduce(
    (sum, inner) => sum + rowsOf(inner),
    plan["Relation Name"] || plan["Index Name"] ? plan["Actual Rows"] * plan["Actual Loops"] : 0,
  );

const scannedBy = (plan: Plan): string[] => [
  ...(plan["Node Type"] === "Seq Scan" && plan["Relation Name"] ? [plan["Relation Name"]] : []),
  ...(plan.Plans ?? []).flatMap(scannedBy),
];
