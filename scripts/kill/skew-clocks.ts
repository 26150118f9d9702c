import { type Drill, type Harm, recoveryMaxMs, type Scenario } from "./scenario";
import { type Role, workerRoles } from "./stand";
import { plain, skewedBy } from "./supervised";
import { until } from "./until";

const skewMs = 300_000;

/** Of each two of a role one is five minutes ahead and one behind, and so is the web app in turn: leases are the database's business alone. */
async function skewClocks({ stand, isSample, recovery }: Drill): Promise<Harm> {
  const faults: string[] = [];
  const recoveriesMs: number[] = [];
  for (const sign of [1, -1]) {
    for (const role of ["web", ...workerRoles] as Role[])
      for (const [i, one] of stand.of(role).entries()) one.kill(skewedBy(sign * (i === 0 ? skewMs : -skewMs)));
    recoveriesMs.push(await recovery());
    faults.push(...(await wrongClocks(stand.superuser.$client, sign * skewMs, isSample ? 10 : 40)));
  }
  for (const role of ["web", ...workerRoles] as Role[]) for (const one of stand.of(role)) one.kill(plain);
  recoveriesMs.push(await recovery());
  return { what: "±300 s in every process", recoveriesMs, faults };
}

/**
 * A command's id carries the web app's own time: proof that the clock was wrong, else nothing was tried. Looks at `wanted` commands that are taken
 * from now on: a process that was killed before has taken none of them.
 */
async function wrongClocks(sql: Drill["stand"]["superuser"]["$client"], skew: number, wanted: number): Promise<string[]> {
  const [now] = await sql`select clock_timestamp()::text as at`;
  const taken = async () => {
    const [row] = await sql`
      select count(*)::int as n,
        count(*) filter (where abs(extract(epoch from uuid_extract_timestamp(command_id) - created_at) * 1000 - ${skew}::float8) < 120000)::int as skewed
      from idempotency_keys where created_at > ${now?.at}::timestamptz`;
    return { n: row?.n as number, skewed: row?.skewed as number };
  };
  await until(async () => (await taken()).n >= wanted, recoveryMaxMs);
  const { n, skewed } = await taken();
  return n >= wanted && skewed === n ? [] : [`${skewed} of ${n} commands were made by a clock that is wrong by ${skew} ms`];
}

export const skewScenario: Scenario = { name: "clocks wrong by five minutes", log: "postgres", run: skewClocks };
