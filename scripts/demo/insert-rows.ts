import type { Tx } from "@/db/client";

/** Inserts rows of one shape (column names as keys) with one statement; a column that no row names keeps its default. */
export async function insertRows(tx: Tx, table: string, rows: readonly Record<string, unknown>[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first);
  for (let from = 0; from < rows.length; from += 5_000) {
    const part = JSON.stringify(rows.slice(from, from + 5_000));
    await tx.sql`
      insert into ${tx.sql(table)} (${tx.sql(columns)})
      select ${tx.sql(columns)}
      from jsonb_populate_recordset(null::${tx.sql(table)}, ${part}::text::jsonb)`;
  }
}
