import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { gather, isConcerned } from "./live-hints";

describe("hints", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("lead to one read at once, and to one more a second for all that came meanwhile", async () => {
    const reads: string[][] = [];
    const { add } = gather(async (areas) => void reads.push([...areas].sort()));
    add("delivery");
    add("delivery");
    add("appointments");
    expect(reads).toEqual([["delivery"]]);
    await vi.advanceTimersByTimeAsync(999);
    expect(reads).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(reads).toEqual([["delivery"], ["appointments", "delivery"]]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reads).toHaveLength(2);
  });

  it("wait for a slow read, so that none is thrown away half done; a failed one stops nothing", async () => {
    let reads = 0;
    let end = (_: Error) => {};
    const { add } = gather(() => {
      reads += 1;
      return new Promise((_, reject) => {
        end = reject;
      });
    });
    add("delivery");
    add("delivery");
    await vi.advanceTimersByTimeAsync(30_000);
    expect(reads).toBe(1);
    end(new Error("no answer"));
    await vi.advanceTimersByTimeAsync(0);
    expect(reads).toBe(2);
  });

  it("that came before the page was left read nothing more", async () => {
    let reads = 0;
    const { add, stop } = gather(async () => {
      reads += 1;
    });
    add("delivery");
    add("delivery");
    stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reads).toBe(1);
  });
});

describe("a read", () => {
  const client = new QueryClient();
  const isRead = (path: string[], refetchInterval: number | false | (() => number | false)) => {
    const queryKey = [path, { input: path.join() + String(refetchInterval) }];
    const options = { queryKey, queryFn: () => 1, initialData: 1, staleTime: 60_000, refetchInterval };
    const stop = new QueryObserver(client, options).subscribe(() => {});
    const query = client.getQueryCache().find({ queryKey });
    if (!query) throw new Error("it is shown");
    const concerned = isConcerned(query, new Set(["delivery"]));
    stop();
    return concerned;
  };

  it("is concerned while it polls, and by changes of its area", () => {
    expect(isRead(["delivery", "head"], 5_000)).toBe(true);
    expect(isRead(["planningViews", "head"], () => 1_500)).toBe(true);
    expect(isRead(["desk", "day"], 5_000)).toBe(false); // of appointments
  });

  it("that is held still, or that nothing hints at, is left alone", () => {
    expect(isRead(["delivery", "head"], false)).toBe(false);
    expect(isRead(["stories", "head"], () => false)).toBe(false);
    expect(isRead(["session", "me"], 5_000)).toBe(false);
  });
});
