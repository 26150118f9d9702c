import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runDemo } from "@/scripts/demo/run-demo";

const server = createServer();
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "busy-port-"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
  await new Promise((resolve) => server.close(resolve));
});

test("a port that is taken ends the demo with what to do, and nothing was started or written", async () => {
  const { port } = server.address() as AddressInfo;
  const said = vi.spyOn(console, "log").mockImplementation(() => {});
  const listeners = () => ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => process.listenerCount(signal));
  const before = listeners();
  const data = path.join(folder, "data");
  await expect(runDemo({ port, data, log: "postgres", reset: false, smoke: false, help: false })).rejects.toThrow(
    `port ${port} of 127.0.0.1 is busy: end what listens there, or choose another: npm run demo -- --port ${port + 1}`,
  );
  expect([existsSync(data), readdirSync(folder)]).toEqual([false, []]);
  expect(said).not.toHaveBeenCalled(); // a step says its name before it begins
  expect(listeners()).toEqual(before);
});
