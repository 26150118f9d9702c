// The API as a test calls it: the handlers that the routes export, with Request objects, on a real database.
import { Temporal } from "temporal-polyfill";
import { type Db, type Tx, withTx } from "@/db/client";
import { tokenCommands } from "@/server/domain/scope/actor";
import { tokenHash } from "@/server/domain/scope/find-token";
import { newRef, newUuid } from "@/server/ids";
import { setTestPoint } from "@/server/test-points";
import { postCancel, postReschedule, postStatus } from "./change-appointment";
import { postAppointment, postAppointmentInBody } from "./create-appointment";
import { getAppointments, getCommand, getHistory, getOneAppointment } from "./read-appointments";
import { getClinic, getClinics, getSlots } from "./read-clinics";

const origin = "http://localhost";
const handlers = {
  createAppointment: { handler: postAppointment, method: "POST", path: "/appointments" },
  createInBody: { handler: postAppointmentInBody, method: "POST", path: "" },
  rescheduleAppointment: { handler: postReschedule, method: "POST", path: "/appointments/{id}/reschedule" },
  cancelAppointment: { handler: postCancel, method: "POST", path: "/appointments/{id}/cancel" },
  changeAppointmentStatus: { handler: postStatus, method: "POST", path: "/appointments/{id}/status" },
  getAppointment: { handler: getOneAppointment, method: "GET", path: "/appointments/{id}" },
  getAppointmentHistory: { handler: getHistory, method: "GET", path: "/appointments/{id}/history" },
  listAppointments: { handler: getAppointments, method: "GET", path: "/appointments" },
  getCommand: { handler: getCommand, method: "GET", path: "/commands/{key}" },
  listSlots: { handler: getSlots, method: "GET", path: "/slots" },
  getClinic: { handler: getClinic, method: "GET", path: "" },
  listClinics: { handler: getClinics, method: "GET", path: "" },
} as const;
export type Operation = keyof typeof handlers;

export type Call = {
  clinicId?: string;
  id?: string;
  /** Path segment of getCommand. */
  pathKey?: string;
  token?: string | null;
  key?: string | null;
  ifMatch?: string | null;
  /** An object is sent as JSON, a string as it is. */
  body?: unknown;
  query?: Record<string, string>;
  headers?: Record<string, string>;
};
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever JSON comes back
export type Reply = { status: number; text: string; json: any; headers: Headers };

/** Variables of the web process for a test database; call it before the first request. */
export function setWebEnvironment(databaseUrl: string, more: Record<string, string> = {}): void {
  Object.assign(process.env, {
    DATABASE_URL: databaseUrl,
    AUTH_SECRET: "test-secret-0123456789-abcdefghijklmnopqrst",
    AUTH_URL: origin,
    DIGEST_KEYS: `k1:${Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64")}`,
    LOG_LEVEL: "silent",
    RATE_LIMIT_PER_MINUTE: "1000000",
    ...more,
  });
}

/** A client with one token, as `npm run ops -- token` makes them. Returns the token's text. */
export async function insertToken(
  migrator: Db,
  tenantGroupId: string,
  clinicIds: readonly string[],
  commands: readonly string[] = tokenCommands,
  clientId = newUuid(),
): Promise<string> {
  const token = `test-${newUuid()}`;
  await withTx(migrator, {}, async (tx) => {
    await tx.sql`
      insert into api_clients (id, tenant_group_id, ref, name) values (${clientId}, ${tenantGroupId}, ${newRef("AC")}, 'Test client')
      on conflict do nothing`;
    await tx.sql`
      insert into api_tokens (tenant_group_id, api_client_id, token_hash, clinic_ids, commands)
      values (${tenantGroupId}, ${clientId}, ${tokenHash(token)}, ${[...clinicIds]}::uuid[], ${[...commands]}::text[])`;
  });
  return token;
}

export const newKey = (): string => `key-${newUuid()}`;

/** Calls an operation; a key is made up unless given, `null` sends none. */
export async function callApi(operation: Operation, call: Call): Promise<Reply> {
  const { handler, method, path } = handlers[operation];
  const headers = new Headers(call.headers);
  if (call.token) headers.set("authorization", `Bearer ${call.token}`);
  if (method === "POST") {
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    const key = call.key === undefined ? newKey() : call.key;
    if (key !== null) headers.set("idempotency-key", key);
    if (call.ifMatch) headers.set("if-match", call.ifMatch);
  }
  const address = `${origin}/api/v1/clinics/${call.clinicId}${path.replace("{id}", call.id ?? "")}`;
  const url = new URL(address);
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
  const body = method === "POST" ? (typeof call.body === "string" ? call.body : JSON.stringify(call.body)) : undefined;
  const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const params = Promise.resolve({ clinicId: call.clinicId ?? "", appointmentId: call.id ?? "", key: call.pathKey ?? "" });
  const response = await (handler as (request: Request, context: { params: Promise<unknown> }) => Promise<Response>)(request, { params });
  const text = await response.text();
  return { status: response.status, text, json: parse(text), headers: response.headers };
}

/** A Tuesday two to three weeks ahead: a test must not fail because a year has passed. */
export const aTuesday: Temporal.PlainDate = (() => {
  const soon = Temporal.Now.plainDateISO("UTC").add({ days: 14 });
  return soon.add({ days: (9 - soon.dayOfWeek) % 7 });
})();

/** `10:00` on that day (or `days` later) of a clinic, as an instant with its offset. */
export const at = (zone: string, time: string, days = 0): string =>
  aTuesday.add({ days }).toZonedDateTime({ timeZone: zone, plainTime: time }).toString({ timeZoneName: "never", smallestUnit: "second" });

/** Quarter hours of working mornings, each one once: tests that share a clinic do not meet. */
export function makeTimes(zone: string): () => string {
  let given = 0;
  return () => {
    const [week, rest] = [Math.floor(given / 48), given % 48];
    given += 1;
    const [day, quarter] = [Math.floor(rest / 12), rest % 12];
    const time = `${String(9 + Math.floor(quarter / 4)).padStart(2, "0")}:${String((quarter % 4) * 15).padStart(2, "0")}`;
    return at(zone, time, 7 * (week + 1) + day - 1);
  };
}

/**
 * Holds the next owner of a key inside its transaction, with work on its connection: an idle one would be ended by the database after two seconds.
 * `started` when it is held; `release` lets it go on. Clear the test points afterwards.
 */
export function holdOwner(): { started: Promise<void>; release: () => void } {
  let start!: () => void;
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  let isHeld = true;
  setTestPoint("command.keyTaken", async (detail) => {
    start();
    const { tx } = detail as { tx: Tx };
    while (isHeld) {
      await tx.sql`select 1`;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  return {
    started,
    release: () => {
      isHeld = false;
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
