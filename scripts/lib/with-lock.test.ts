import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withLock } from "@/scripts/lib/with-lock";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "with-lock-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("two pieces of work under one lock run one after the other", async () => {
  const file = path.join(folder, "one");
  const order: string[] = [];
  let release = () => {};
  const first = withLock(file, () => {
    order.push("first");
    return new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  const second = withLock(
    file,
    async () => void order.push("second"),
    () => {
      order.push("waits");
      release();
    },
  );
  await Promise.all([first, second]);
  expect(order).toEqual(["first", "waits", "second"]);
  expect(existsSync(file)).toBe(false);
});

test("the lock of a process that is gone is free, and work that throws gives its lock back", async () => {
  const file = path.join(folder, "two");
  writeFileSync(file, "999999999");
  await expect(withLock(file, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await withLock(file, async () => 7)).toBe(7);
});
