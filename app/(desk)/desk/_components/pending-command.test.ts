import { describe, expect, it } from "vitest";
import { dropPending, keepPending, newKey, type PendingCommand, pendingName, readPending } from "./pending-command";

function memory(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  } as Storage;
}
const pending: PendingCommand = {
  key: newKey(),
  command: { operation: "book", visit: { patient: { id: "p" }, treatmentId: "t", doctorId: "any", startsAt: "2027-02-09T09:00:00Z" } },
  sentAt: [1],
  keptUntil: 1000,
};

describe("pending command", () => {
  it("a stored key is read back with its command until its time is over", () => {
    const store = memory();
    keepPending(store, "n", pending);
    expect(readPending(store, "n", 999)).toEqual(pending);
    expect(readPending(store, "n", 1000)).toBeNull();
    expect(store.getItem("n")).toBeNull();
  });

  it("keys of another person or clinic have another place", () => {
    expect(pendingName("u1", "c1")).not.toBe(pendingName("u1", "c2"));
    expect(pendingName("u1", "c1")).not.toBe(pendingName("u2", "c1"));
    expect(pendingName("u1", "c1").startsWith("desk-command:")).toBe(true);
  });

  it("what was tampered with is thrown away, not sent", () => {
    const store = memory();
    for (const text of [
      "",
      "{",
      "null",
      JSON.stringify({ ...pending, command: { operation: "pay" } }),
      JSON.stringify({ ...pending, command: { operation: "toString" } }),
      JSON.stringify({ ...pending, command: { operation: "cancel", appointmentId: "a", version: "1", change: {} } }),
      JSON.stringify({ ...pending, key: "short" }),
      JSON.stringify({ ...pending, sentAt: ["1"] }),
    ]) {
      store.setItem("n", text);
      expect(readPending(store, "n", 0)).toBeNull();
      expect(store.getItem("n")).toBeNull();
    }
  });

  it("a browser that keeps nothing may send nothing", () => {
    const forgetful = { ...memory(), setItem: () => {} };
    expect(() => keepPending(forgetful, "n", pending)).toThrow();
  });

  it("no field of a stored command can hold a name or typed text", () => {
    const store = memory();
    const command = { ...pending.command, visit: { ...pending.command, note: "Mrs Example", patient: { id: "p", name: "Example" } } };
    store.setItem(
      "n",
      JSON.stringify({
        ...pending,
        command: { operation: "book", visit: { ...(pending.command as { visit: object }).visit, ...command.visit } },
      }),
    );
    expect(JSON.stringify(readPending(store, "n", 0))).not.toContain("Example");
  });

  it("an answer makes room for a new key", () => {
    const store = memory();
    keepPending(store, "n", pending);
    dropPending(store, "n");
    expect(readPending(store, "n", 0)).toBeNull();
    expect(newKey()).not.toBe(newKey());
    expect(newKey()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
