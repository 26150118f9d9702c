import { commandKeyPrefix } from "@/app/_components/command-keys";

/** A command as it is sent: opaque ids, versions, times and reason codes. No name, no typed text: this lies in the browser's storage. */
export type DeskCommand =
  | { operation: "book"; visit: { patient: { id: string }; treatmentId: string; doctorId: string; startsAt: string } }
  | { operation: "reschedule"; appointmentId: string; version: string; change: { startsAt: string; doctorId: string; reasonCode?: string } }
  | { operation: "cancel"; appointmentId: string; version: string; change: { reasonCode: string } }
  | { operation: "changeStatus"; appointmentId: string; version: string; change: { to: string; reasonCode?: string } };

export type PendingCommand = {
  key: string;
  command: DeskCommand;
  /** When each try was sent, milliseconds since the epoch by this machine's clock. */
  sentAt: number[];
  /** After it the key would be a new command, so it is thrown away instead of sent. */
  keptUntil: number;
};

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** One place for each person and clinic: another clinic never sees it, and signing out removes all of them (command-keys.ts). */
export const pendingName = (userId: string, clinicId: string): string => `${commandKeyPrefix}${userId}:${clinicId}`;

/** A new key and its command, stored before anything is sent. Throws when the browser stores nothing: then nothing may be sent either. */
export function keepPending(store: Store, name: string, pending: PendingCommand): void {
  const text = JSON.stringify(pending);
  store.setItem(name, text);
  if (store.getItem(name) !== text) throw new Error("this browser keeps nothing");
}

/** The command that waits for its answer, if there is one that can still be asked for. */
export function readPending(store: Store, name: string, nowMs: number): PendingCommand | null {
  const text = store.getItem(name);
  if (text === null) return null;
  const pending = pendingOf(parse(text));
  if (pending && pending.keptUntil > nowMs) return pending;
  store.removeItem(name);
  return null;
}

/** After an answer: the next command gets a key of its own. */
export function dropPending(store: Store, name: string): void {
  store.removeItem(name);
}

/** A random UUID; also where `crypto.randomUUID` is withheld (plain http on a clinic's network). */
export function newKey(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes]
    .map((byte, i) => (i === 6 ? (byte & 15) | 64 : i === 8 ? (byte & 63) | 128 : byte).toString(16).padStart(2, "0"))
    .join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// Plain checks instead of a schema: the schema library weighs a fifth of all that the desk may load.
type Shape = { [field: string]: "text" | "text or nothing" | Shape };
const visit: Shape = { appointmentId: "text", version: "text" };
const shapes: Record<DeskCommand["operation"], Shape> = {
  book: { visit: { patient: { id: "text" }, treatmentId: "text", doctorId: "text", startsAt: "text" } },
  reschedule: { ...visit, change: { startsAt: "text", doctorId: "text", reasonCode: "text or nothing" } },
  cancel: { ...visit, change: { reasonCode: "text" } },
  changeStatus: { ...visit, change: { to: "text", reasonCode: "text or nothing" } },
};

/** A kept command with the fields that one has, and no other; undefined when it is none. */
function pendingOf(value: unknown): PendingCommand | undefined {
  const { key, command, sentAt, keptUntil } = fieldsOf(value);
  const { operation } = fieldsOf(command);
  if (typeof key !== "string" || key.length < 16 || typeof keptUntil !== "number") return undefined;
  if (!Array.isArray(sentAt) || !sentAt.every((at) => typeof at === "number")) return undefined;
  if (typeof operation !== "string" || !Object.hasOwn(shapes, operation)) return undefined;
  const fields = pick(command, shapes[operation as DeskCommand["operation"]]);
  return fields && { key, command: { operation, ...fields } as DeskCommand, sentAt, keptUntil };
}

/** The fields of a shape, or undefined when one is missing or is no text. */
function pick(value: unknown, shape: Shape): Record<string, unknown> | undefined {
  const found: Record<string, unknown> = {};
  for (const [name, want] of Object.entries(shape)) {
    const field = fieldsOf(value)[name];
    if (field === undefined && want === "text or nothing") continue;
    found[name] = typeof want === "object" ? pick(field, want) : typeof field === "string" ? field : undefined;
    if (found[name] === undefined) return undefined;
  }
  return found;
}

const fieldsOf = (value: unknown) => (typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {});
