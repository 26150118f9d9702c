import http from "node:http";
import { newUuid } from "@/server/ids";
import { sessionCookie } from "./browser-times";
import type { Context } from "./context";
import type { BenchDatabase } from "./database";
import { send } from "./load";
import type { BenchClinic, World } from "./world";

/** A person with both roles in this clinic only, and the cookie that the sign-in would have set. */
export async function signedIn({ bare }: BenchDatabase, context: Context, world: World, clinic: BenchClinic): Promise<string> {
  const userId = newUuid();
  await bare`
    insert into users (id, tenant_group_id, ref, email, name, password_hash)
    values (${userId}, ${world.tenantGroupId}, ${`ST-${userId.slice(-6)}`}, ${`${userId}@bench.example`}, 'Bench Person', 'none')`;
  for (const role of ["FRONT_DESK", "STAFF"])
    await bare`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${world.tenantGroupId}, ${userId}, ${role}, ${clinic.id})`;
  return sessionCookie(context, userId, world.tenantGroupId);
}

export type Ask = <T>(procedure: string, input?: unknown) => Promise<T>;

/** Queries of the web app's procedures as a signed-in browser sends them, one at a time on one connection. */
export function asker(origin: string, cookie: string): { ask: Ask; close: () => void } {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const ask: Ask = async (procedure, input = {}) => {
    const path = `/api/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`;
    const body = await send(agent, origin, { method: "GET", path, headers: { cookie, "x-trpc-source": "web" } }, { status: 200 });
    return JSON.parse(body).result.data.json;
  };
  return { ask, close: () => agent.destroy() };
}
