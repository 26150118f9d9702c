import { expect, it } from "vitest";
import { safePath } from "./safe-path";

it("sign-in leads to a path of this site only", () => {
  expect(safePath("/desk?clinic=CL-203")).toBe("/desk?clinic=CL-203");
  expect(safePath("http://127.0.0.1:3000/operations/delivery?state=QUARANTINED")).toBe("/operations/delivery?state=QUARANTINED");
  for (const wished of [
    "",
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "https://evil.example",
    "desk",
    "/sign-in",
    "/a\nb",
  ]) {
    expect(safePath(wished)).toBe("/");
  }
});
