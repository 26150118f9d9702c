import { z } from "zod";
import { appRouter } from "@/server/trpc/root";
import type { Random } from "./random";
import { bodyFor, hostile, type Pool, valueFor } from "./values";

type Procedure = { _def: { type: "query" | "mutation" | "subscription"; inputs: z.ZodType[] } };
export type Endpoint = { path: string; type: "query" | "mutation" | "subscription"; schemas: object[] };

/** Every procedure of the router with the JSON schemas of its inputs. */
export const procedures: Endpoint[] = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>).map(
  ([path, { _def }]) => ({
    path,
    type: _def.type,
    schemas: _def.inputs.map((input) => z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) as object),
  }),
);

const origin = "http://localhost";

/** One HTTP request for a procedure, as the browser's link would send it, or nearly so. */
export function trpcRequest(procedure: Endpoint, random: Random, pool: Pool): Request | undefined {
  const hostility = random.pick([0, 0, 0.03, 0.1, 0.3]);
  const input = Object.assign({}, ...procedure.schemas.map((schema) => valueFor(schema, random, pool, hostility)));
  const sent = random.chance(hostility)
    ? hostile(random, pool)
    : { json: input, ...(random.chance(hostility) && { meta: hostileMeta(random) }) };
  const isBatch = random.chance(0.2);
  const count = isBatch ? random.pick([1, 1, 2, 3, 12]) : 1;
  const path = Array.from({ length: count }, () =>
    random.chance(0.03) ? random.pick(["desk.nothing", "__proto__", "constructor.name", ""]) : procedure.path,
  ).join(",");
  const payload = isBatch ? Object.fromEntries(Array.from({ length: count }, (_, n) => [n, sent])) : sent;
  const headers = new Headers({ origin, host: "localhost", "sec-fetch-site": "same-origin", "x-trpc-source": "web" });
  if (random.chance(0.03)) headers.delete(random.pick(["origin", "x-trpc-source"]));
  if (random.chance(0.02)) headers.set("origin", "https://elsewhere.example");
  const isMutation = random.chance(0.05) ? procedure.type !== "mutation" : procedure.type === "mutation";
  try {
    const url = new URL(`${origin}/api/trpc/${path}`);
    if (isBatch) url.searchParams.set("batch", random.chance(0.95) ? "1" : "x");
    if (!isMutation) {
      url.searchParams.set(
        "input",
        random.chance(0.9) ? (JSON.stringify(payload) ?? "") : new TextDecoder().decode(bodyFor(payload, random)),
      );
      return new Request(url, { headers });
    }
    headers.set("content-type", random.chance(0.97) ? "application/json" : "multipart/form-data; boundary=x");
    return new Request(url, { method: "POST", headers, body: bodyFor(payload, random) as BodyInit });
  } catch {
    return undefined;
  }
}

/** What superjson reads beside the value: how each place is to be revived. */
const hostileMeta = (random: Random): unknown =>
  random.pick([
    { values: { clinicId: ["Date"] } },
    { values: ["undefined"] },
    { values: { "__proto__.polluted": ["undefined"] } },
    { values: { "constructor.prototype.polluted": ["bigint"] } },
    { values: { key: [["class", "Object"]] } },
    { values: { key: ["regexp"] } },
    { values: { key: [["custom", "x"]] } },
    { referentialEqualities: { key: ["__proto__"] } },
    { referentialEqualities: [["a"], { b: ["c"] }] },
    { v: 1, values: { "a.b.c.d": ["set"] } },
    "meta",
    [],
  ]);
