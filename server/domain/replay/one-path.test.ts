import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../../..");
const textOf = (file: string) => readFileSync(path.join(root, file), "utf8");
const sourcesOf = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => path.posix.join(folder, file))
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|testing(\/|\.ts)/.test(file));

it("a replay has no way of its own to a handler, a claim or a mark: it calls processMessage, as the scheduler does", () => {
  const own = sourcesOf("server/domain/replay").filter((file) =>
    /from "@\/server\/domain\/inbox\/(apply-effects|attempt-row|mark-processed|claim-batch|settle-failed-row|process-batch)"|\.handle\(/.test(
      textOf(file),
    ),
  );
  expect(own).toEqual([]);
  const callers = ["server", "workers"]
    .flatMap(sourcesOf)
    .filter((file) => /\bprocessMessage\(/.test(textOf(file)) && !file.endsWith("process-message.ts"));
  expect(callers.sort()).toEqual(["server/domain/inbox/retry-once.ts", "server/domain/replay/run-replay-once.ts"]);
});

it("nothing in a replay publishes, consumes as a member of a group, or removes a record", () => {
  const writers = sourcesOf("server/domain/replay").filter((file) =>
    /\b(publish|consume|commitOffsets|setOffsets|resetOffsets)\(/.test(textOf(file)),
  );
  expect(writers).toEqual([]);
  const deletes = sourcesOf("server/domain/replay").filter((file) => /delete from (?!replay_items)/.test(textOf(file)));
  expect(deletes).toEqual([]);
});
