import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDb, type TxActor, withRead, withTx } from "./client";
import { createTestDatabase, type TestDatabase } from "./testing/test-database";
import { sqlstate } from "./tx-error";

// Asks PostgreSQL's catalogue, so a table that somebody adds tomorrow is asked too.

let db: TestDatabase;
let tables: { name: string; columns: string[]; rls: boolean; force: boolean }[];
let named: typeof tables;

/** No tenant in them: counters of a library, the event log's own tables, the list of migrations. */
const exceptions = /^(rate_limits|migrations|log_[a-z_]+)$/;
/** Tenant-free facts of the workers: FORCE all the same, read by web, written by a worker only. */
const workerFacts = ["inbox_rejections", "worker_heartbeats"];
/** Rows of the whole tenant group: no clinic in their policy. */
const ofGroup = ["api_clients", "api_tokens", "patients", "resources", "tenant_groups", "user_roles", "users"];

const id = (n: string) => `01900000-0000-7000-8000-${n.padStart(12, "0")}`;
const [tenant, other, berlin, kathmandu, foreign] = [id("1"), id("2"), id("c1"), id("c2"), id("c9")];
const places = [
  [tenant, berlin],
  [tenant, kathmandu],
  [other, foreign],
] as const;

beforeAll(async () => {
  db = await createTestDatabase();
  tables = await db.superuser.$client`
    select c.relname as name, c.relrowsecurity as rls, c.relforcerowsecurity as force,
           (select array_agg(a.attname::text) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    order by c.relname`;
  named = tables.filter((table) => !exceptions.test(table.name) && !workerFacts.includes(table.name));
  await insertOneRowEach();
});
afterAll(() => db.close());

const placesOf = (table: string) => (table === "tenant_groups" ? places.filter(([, clinic]) => clinic !== kathmandu) : places);

/** Three rows in every table: two clinics of one tenant group and one of another. Constraints and triggers are off: only scope matters here. */
async function insertOneRowEach() {
  await db.superuser.$client.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    for (const { name } of named) {
      const checks = await sql`select conname from pg_constraint where conrelid = ${name}::regclass and contype = 'c'`;
      for (const { conname } of checks) await sql.unsafe(`alter table ${name} drop constraint ${conname}`);
      const columns = await sql<{ name: string; type: string }[]>`
        select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
        where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and attidentity = '' and attgenerated = ''`;
      for (const [n, [group, clinic]] of placesOf(name).entries()) {
        const values = columns.map((column) => literal(name, column, group, clinic, n));
        await sql.unsafe(`insert into ${name} (${columns.map((c) => `"${c.name}"`).join(", ")}) values (${values.join(", ")})`);
      }
    }
  });
}

function literal(table: string, column: { name: string; type: string }, group: string, clinic: string, n: number): string {
  if (column.name === "tenant_group_id" || (table === "tenant_groups" && column.name === "id")) return `'${group}'`;
  if (column.name === "clinic_id" || (table === "clinics" && column.name === "id")) return `'${clinic}'`;
  switch (column.type.replace(/\(.*\)/, "")) {
    case "uuid":
      return "uuidv7()";
    case "uuid[]":
    case "text[]":
      return "'{}'";
    case "jsonb":
      return "'{}'";
    case "boolean":
      return "true";
    case "text":
      return `'${table}-${column.name}-${n}'`;
    case "bytea":
      return "'\\x00'";
    case "tstzrange":
      return "tstzrange(now(), now() + interval '1 hour')";
    case "timestamp with time zone":
    case "timestamp without time zone":
    case "date":
      return "now()";
    case "time without time zone":
      return "'09:00'";
    default:
      return String(n + 1);
  }
}

const clinicColumn = (table: { name: string; columns: string[] }) =>
  table.name === "clinics"
    ? "id"
    : ofGroup.includes(table.name)
      ? undefined
      : table.columns.includes("clinic_id")
        ? "clinic_id"
        : undefined;
const groupColumn = (name: string) => (name === "tenant_groups" ? "id" : "tenant_group_id");

/** Which of the three places a role sees of a table. */
async function seen(role: "web" | "worker", actor: TxActor, table: { name: string; columns: string[] }): Promise<string[]> {
  const place = clinicColumn(table) ?? groupColumn(table.name);
  const rows = await withRead(db[role], actor, (tx) => tx.sql.unsafe(`select ${place} as place from ${table.name}`));
  return rows.map((row) => row.place as string).sort();
}

async function seenByTable(role: "web" | "worker", actor: TxActor) {
  const result: Record<string, string[]> = {};
  for (const table of named) result[table.name] = await seen(role, actor, table);
  return result;
}

const expected = (of: (table: { name: string; columns: string[] }) => string[]) =>
  Object.fromEntries(named.map((table) => [table.name, of(table)]));
/** Foreign keys between tables that both name a tenant group, but do not name it themselves, each with its reason. */
const keysWithoutTenant: Record<string, string> = {};

it("no foreign key lets a row point into another tenant group: every one carries the tenant group itself", async () => {
  const keys = await db.superuser.$client<{ name: string; names: boolean }[]>`
    select c.conname as name, exists (
             select from unnest(c.conkey, c.confkey) as pair (own, theirs)
             join pg_attribute own on own.attrelid = c.conrelid and own.attnum = pair.own
             join pg_attribute theirs on theirs.attrelid = c.confrelid and theirs.attnum = pair.theirs
             where own.attname = 'tenant_group_id' and own.attnotnull
               and theirs.attname = case c.confrelid when 'tenant_groups'::regclass then 'id' else 'tenant_group_id' end) as names
    from pg_constraint c
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace
      and exists (select from pg_attribute a where a.attrelid = c.conrelid and a.attname = 'tenant_group_id')
      and (c.confrelid = 'tenant_groups'::regclass
        or exists (select from pg_attribute a where a.attrelid = c.confrelid and a.attname = 'tenant_group_id'))`;
  expect(keys.length).toBeGreaterThan(30);
  expect(keys.filter(({ names }) => !names).map(({ name }) => name)).toEqual(Object.keys(keysWithoutTenant));
});

describe("the catalogue", () => {
  it("has FORCE row-level security on every table but the named exceptions", () => {
    const open = tables.filter((table) => !(table.rls && table.force)).map((table) => table.name);
    expect(open.filter((name) => !exceptions.test(name))).toEqual([]);
    expect(tables.length).toBeGreaterThan(35);
  });

  it("has a policy for each of the three roles on each of them", async () => {
    const policies = await db.superuser.$client`
      select tablename, array_agg(distinct r.role::text order by r.role::text) as roles from pg_policies, unnest(roles) r (role) group by tablename`;
    const rolesOf = new Map(policies.map((row) => [row.tablename, row.roles]));
    for (const { name } of tables.filter((table) => !exceptions.test(table.name)))
      expect([name, rolesOf.get(name)]).toEqual([name, ["aops_migrator", "aops_web", "aops_worker"]]);
  });

  it("has a tenant column in every table that is no exception", () => {
    expect(named.filter((table) => !table.columns.includes(groupColumn(table.name))).map((table) => table.name)).toEqual([]);
  });

  it("has no role that bypasses policies, and web and worker own nothing", async () => {
    const roles = await db.superuser.$client`
      select rolname, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb as mighty,
             (select count(*)::int from pg_class where relowner = r.oid) as owned
      from pg_roles r where rolname like 'aops_%' order by rolname`;
    expect(roles.map((row) => [row.rolname, row.mighty, row.rolname === "aops_migrator" || row.owned === 0])).toEqual([
      ["aops_migrator", false, true],
      ["aops_web", false, true],
      ["aops_worker", false, true],
    ]);
  });

  it("has no view and no materialised view that would read with its owner's rights", async () => {
    const views = await db.superuser.$client`
      select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('v', 'm') and not coalesce('security_invoker=true' = any (reloptions), false)`;
    expect(views.map((row) => row.relname)).toEqual([]);
  });

  it("has few functions with their owner's rights that a role may call, each with a fixed search path", async () => {
    const functions = await db.superuser.$client`
      select p.proname as name, coalesce(array_to_string(p.proconfig, ';'), '') as config
      from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.prosecdef and p.prorettype <> 'trigger'::regtype
        and (has_function_privilege('aops_web', p.oid, 'execute') or has_function_privilege('aops_worker', p.oid, 'execute'))
      order by p.proname`;
    // two look-ups before a tenant is known, the busy times of a person who works in two clinics, the scope of a drill, and the role behind
    // an apply that a worker tries again; two ages of transactions
    expect(functions.map((row) => row.name)).toEqual([
      "add_synthetic_absence",
      "auth_find_token",
      "auth_find_user",
      "busy_claims",
      "fill_synthetic_clinic",
      "hold_role",
      "make_synthetic_scope",
      "remove_synthetic_scope",
      "vacuum_horizon",
    ]);
    for (const { config } of functions) expect(config).toContain("search_path=pg_catalog");
  });
});

describe("the web role", () => {
  it("sees its tenant group and its clinic, in every table", async () => {
    const result = await seenByTable("web", { tenantGroupId: tenant, clinicIds: [berlin] });
    const wanted = expected((table) => (clinicColumn(table) ? [berlin] : table.name === "tenant_groups" ? [tenant] : [tenant, tenant]));
    expect(result).toEqual(wanted);
  });

  it("sees nothing of another tenant group's clinic, whatever clinics it says it has", async () => {
    const result = await seenByTable("web", { tenantGroupId: tenant, clinicIds: [foreign] });
    for (const table of named.filter(clinicColumn)) expect([table.name, result[table.name]]).toEqual([table.name, []]);
  });

  it.each([
    ["nothing is set", {}],
    ["the tenant group is empty", { tenantGroupId: "", clinicIds: [berlin] }],
    ["only clinics are set", { clinicIds: [berlin, kathmandu, foreign] }],
    ["it says that it is a worker", { worker: "relay" }],
  ] as [string, TxActor][])("sees no row of any table when %s", async (_, actor) => {
    for (const [name, rows] of Object.entries(await seenByTable("web", actor))) expect([name, rows]).toEqual([name, []]);
  });

  it("sees no row when a setting has the wrong type: the statement fails", async () => {
    for (const actor of [{ tenantGroupId: "no-uuid" }, { tenantGroupId: tenant, clinicIds: ["no-uuid"] }]) {
      const error = await withRead(db.web, actor, (tx) => tx.sql`select 1 from appointments`).catch((e) => e);
      expect(sqlstate(error)).toBe("22P02");
    }
  });

  it("sees nothing outside the door, on a connection that a transaction has used before", async () => {
    const one = openDb(db.urls.web, { max: 1 });
    await withTx(one, { tenantGroupId: tenant, clinicIds: [berlin] }, (tx) => tx.sql`select 1`);
    expect(await one.$client`select current_setting('app.tenant_group_id', true) as left_behind`).toMatchObject([{ left_behind: "" }]);
    for (const { name } of named) {
      const rows = await one.$client
        .unsafe(`select 1 from ${name}`)
        .catch((error) => (sqlstate(error) === "42501" ? [] : Promise.reject(error)));
      expect([name, rows.length]).toEqual([name, 0]);
    }
    await one.$client.end();
  });

  it("without clinics reads the directory of its tenant group's clinics, and writes none of them", async () => {
    const actor = { tenantGroupId: tenant };
    const clinics = named.find((table) => table.name === "clinics") as (typeof named)[number];
    expect(await seen("web", actor, clinics)).toEqual([berlin, kathmandu]);
    expect((await withTx(db.web, actor, (tx) => tx.sql`update clinics set name = 'X'`)).count).toBe(0);
    for (const table of named.filter((t) => clinicColumn(t) && t.name !== "clinics" && t.name !== "audit_entries"))
      expect([table.name, await seen("web", actor, table)]).toEqual([table.name, []]);
  });

  it("changes and deletes no row of another clinic or tenant group, in every table where it may write", async () => {
    let tried = 0;
    for (const table of named) {
      const place = clinicColumn(table) ?? groupColumn(table.name);
      const aim = clinicColumn(table) ? [kathmandu, foreign] : [other];
      for (const statement of [`update ${table.name} set ${place} = ${place}`, `delete from ${table.name}`])
        for (const id of aim) {
          const work = withTx(db.web, { tenantGroupId: tenant, clinicIds: [berlin] }, (tx) =>
            tx.sql.unsafe(`${statement} where ${place} = '${id}'`),
          );
          const end = await work.then((rows) => rows.count).catch((error) => sqlstate(error));
          if (end === 0) tried += 1;
          expect([statement, [0, "42501"].includes(end as never)]).toEqual([statement, true]);
        }
    }
    expect(tried).toBeGreaterThan(10);
  });

  it("cannot move a row of its own into another clinic or tenant group", async () => {
    for (const table of named) {
      const place = clinicColumn(table) ?? groupColumn(table.name);
      const [own, aim] = clinicColumn(table) ? [berlin, kathmandu] : [tenant, other];
      const work = withTx(db.web, { tenantGroupId: tenant, clinicIds: [berlin] }, (tx) =>
        tx.sql.unsafe(`update ${table.name} set ${place} = '${aim}' where ${place} = '${own}'`),
      );
      expect([table.name, await work.then(() => "moved").catch((error) => sqlstate(error))]).toEqual([table.name, "42501"]);
    }
  });
});

describe("the worker role", () => {
  it("sees all tenant groups while it names itself only", async () => {
    const result = await seenByTable("worker", { worker: "relay" });
    for (const [name, rows] of Object.entries(result)) expect([name, rows.length]).toEqual([name, placesOf(name).length]);
  });

  it("sees one tenant group after it switched to it", async () => {
    const result = await seenByTable("worker", { worker: "relay", tenantGroupId: other });
    const wanted = expected((table) => (clinicColumn(table) ? [foreign] : [other]));
    expect(result).toEqual(wanted);
  });

  it.each([
    ["nothing is set", {}],
    ["it names a tenant group but not itself", { tenantGroupId: tenant, clinicIds: [berlin] }],
    ["its name is empty", { worker: "" }],
  ] as [string, TxActor][])("sees no row of any table when %s", async (_, actor) => {
    for (const [name, rows] of Object.entries(await seenByTable("worker", actor))) expect([name, rows]).toEqual([name, []]);
  });
});
