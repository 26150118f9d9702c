import { describe, expect, it } from "vitest";
import { systemClock } from "@/server/clock";
import { drillCatalog } from "./catalog";
import { DrillProgress } from "./drill-progress";

const begun = () => new DrillProgress("lease-lost", systemClock, () => {});
const checkAllBut = (progress: DrillProgress<"lease-lost">, left: string) => {
  for (const code of drillCatalog["lease-lost"].invariants) if (code !== left) progress.check(code, 1, 1);
};

describe("the verdict of a drill", () => {
  it("is that it passed only when all that the catalogue names was checked and holds", () => {
    const progress = begun();
    checkAllBut(progress, "");
    expect(progress.verdict()).toBeNull();
  });

  it("is that it failed when one thing was found otherwise, with both values kept", () => {
    const progress = begun();
    checkAllBut(progress, "effectOnce");
    progress.check("effectOnce", "1", "2");
    expect(progress.verdict()).toBe("INVARIANT_BROKEN");
    expect(progress.invariants.at(-1)).toEqual({ code: "effectOnce", holds: false, expected: "1", found: "2" });
  });

  it("is no pass when something was not checked", () => {
    const progress = begun();
    checkAllBut(progress, "offsetsUnmoved");
    expect(progress.verdict()).toBe("NOT_CHECKED");
  });

  it("keeps a step that failed as failed", async () => {
    const progress = begun();
    await expect(
      progress.step("publish", async () => {
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(progress.steps).toMatchObject([{ code: "publish", state: "FAILED" }]);
  });
});
