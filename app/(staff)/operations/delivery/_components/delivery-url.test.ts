import { describe, expect, it } from "vitest";
import { filterOfUrl, queueInput, sameFilter, urlOfFilter } from "./delivery-url";

const url = { clinic: "CL-1", view: "all" as const, state: [], consumer: null, reason: null, since: null, q: "", row: "inbox.1" };

describe("a saved view of the queue", () => {
  it("keeps what filters, and neither the clinic nor the open row", () => {
    expect(filterOfUrl({ ...url, state: ["QUARANTINED"], reason: "GAP" })).toEqual({ state: ["QUARANTINED"], reason: "GAP" });
    expect(filterOfUrl(url)).toEqual({});
  });

  it("leads to the address that it was made from", () => {
    const made = {
      ...url,
      view: "decision" as const,
      state: ["RETRYABLE" as const],
      consumer: "daily-load-v1",
      since: "7d" as const,
      q: "APT-7",
    };
    expect(queueInput({ ...url, ...urlOfFilter(filterOfUrl(made)) })).toEqual(queueInput(made));
    expect(sameFilter(filterOfUrl(made), { ...filterOfUrl(made), unknown: "x" })).toBe(true);
    expect(sameFilter(filterOfUrl(made), {})).toBe(false);
    expect(sameFilter(filterOfUrl(made), { ...filterOfUrl(made), since: "1h" })).toBe(false);
  });

  it("of another release is read as far as it is known", () => {
    expect(urlOfFilter({ view: "later", state: ["NEVER", "PROCESSED"], consumer: 7, since: "1y", q: ["x"] })).toEqual({
      view: "all",
      state: ["PROCESSED"],
      consumer: null,
      reason: null,
      since: null,
      q: "",
    });
  });
});
