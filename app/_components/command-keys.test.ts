import { expect, it } from "vitest";
import { forgetCommandKeys } from "./command-keys";

it("every stored command is forgotten, of whichever person and clinic, and nothing else", () => {
  const kept = new Map([
    ["desk-command:u1:c1", "{}"],
    ["keys", "off"],
    ["desk-command:u2:c1", "{}"],
    ["other-desk-command:u1:c1", "{}"],
  ]);
  forgetCommandKeys({
    get length() {
      return kept.size;
    },
    key: (n) => [...kept.keys()][n] ?? null,
    removeItem: (name) => void kept.delete(name),
  });
  expect([...kept.keys()]).toEqual(["keys", "other-desk-command:u1:c1"]);
});
