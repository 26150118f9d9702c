import { openApiDocument } from "@/server/http/openapi/document";
import type { Random } from "./random";
import { bodyFor, hostileText, type Pool, valueFor } from "./values";

type Parameter = { name: string; in: "path" | "query" | "header"; required?: boolean; schema: object };
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, unknown>;
};
export type Endpoint = { method: string; path: string; operation: Operation };

/** Every operation of the OpenAPI document. */
export const endpoints: Endpoint[] = Object.entries(
  (openApiDocument() as { paths: Record<string, Record<string, Operation>> }).paths,
).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })));

export type Made = { endpoint: Endpoint; request: Request; params: Record<string, string> };

/** One request for an endpoint, with values from its own schemas; `undefined` when the platform would not even send it. */
export function apiRequest(endpoint: Endpoint, random: Random, pool: Pool, tokens: readonly string[]): Made | undefined {
  const hostility = random.pick([0, 0, 0.03, 0.1, 0.3]);
  const { method, path, operation } = endpoint;
  const value = ({ schema, name }: Parameter) => {
    const made = random.chance(hostility) ? hostileText(random, pool) : valueFor(schema, random, pool, 0, name);
    return typeof made === "string" ? made : String(made);
  };
  const params: Record<string, string> = {};
  const query = new URLSearchParams();
  const headers: [string, string][] = [];
  for (const parameter of operation.parameters ?? []) {
    if (parameter.in === "path") params[parameter.name] = value(parameter);
    else if (parameter.in === "query" && (parameter.required || random.chance(0.5))) query.append(parameter.name, value(parameter));
    else if (parameter.in === "header") headers.push(...headerFor(parameter, random, pool, hostility));
  }
  if (random.chance(hostility)) query.append(random.pick(["days", "from", "unknown", "cursor"]), hostileText(random, pool));
  if (!random.chance(0.03)) headers.push(["authorization", `Bearer ${random.pick(tokens)}`]);
  if (random.chance(hostility))
    headers.push([random.pick(["x-request-id", "traceparent", "content-length", "accept"]), hostileText(random, pool)]);
  const schema = operation.requestBody?.content["application/json"]?.schema;
  if (schema)
    headers.push([
      "content-type",
      random.chance(hostility / 3) ? random.pick(["text/plain", "", "application/json; charset=latin1"]) : "application/json",
    ]);
  try {
    const address = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent((params[name] ?? "").toWellFormed()) || "-");
    const url = new URL(`http://localhost${address}`);
    url.search = query.toString();
    const body = schema ? bodyFor(valueFor(schema, random, pool, hostility), random) : undefined;
    return { endpoint, params, request: new Request(url, { method, headers, ...(body && { body: body as BodyInit }) }) };
  } catch {
    return undefined; // a header or address that no client can send
  }
}

function headerFor({ name }: Parameter, random: Random, pool: Pool, hostility: number): [string, string][] {
  if (random.chance(hostility)) return random.chance(0.5) ? [] : [[name, hostileText(random, pool)]];
  if (name === "If-Match") return [[name, `"${1 + random.int(3)}"`]];
  const fresh = `fuzz-key-${random.int(2 ** 31)}-${random.int(2 ** 31)}`;
  const key = random.chance(0.8) ? fresh : random.pick(pool.keys);
  if (key === fresh && random.chance(0.1)) pool.keys.push(key);
  return [[name, key]];
}
