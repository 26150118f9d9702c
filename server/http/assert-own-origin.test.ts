import { describe, expect, it } from "vitest";
import { assertOwnOrigin } from "./assert-own-origin";

const own = "https://clinic.example";
const ours = { origin: own, "sec-fetch-site": "same-origin", "x-trpc-source": "web", host: "clinic.example" };
const isRefused = (headers: Record<string, string | undefined>, method = "POST") => {
  const given = Object.entries({ ...ours, ...headers }).filter(([, value]) => value !== undefined) as [string, string][];
  try {
    assertOwnOrigin(new Request(`${own}/api/trpc/x`, { method, headers: given }), own);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: "origin-refused", status: 403 });
    return true;
  }
};

describe("a change asked for with a cookie", () => {
  it("is taken from our own pages", () => {
    expect(isRefused({})).toBe(false);
    expect(isRefused({ "sec-fetch-site": undefined })).toBe(false);
    expect(isRefused({ "x-trpc-source": undefined, "idempotency-key": "k" })).toBe(false);
  });

  it.each([
    ["another site", { origin: "https://evil.example" }],
    ["our name on another port", { origin: "https://clinic.example:8443" }],
    ["our name without TLS", { origin: "http://clinic.example" }],
    ["a site whose name begins with ours", { origin: "https://clinic.example.evil.example" }],
    ["a sandboxed frame", { origin: "null" }],
    ["nobody who says so", { origin: undefined }],
    ["what the browser calls another site", { "sec-fetch-site": "cross-site" }],
    ["a sibling of our site", { "sec-fetch-site": "same-site" }],
    ["a form: no header of ours", { "x-trpc-source": undefined }],
    ["whoever names us in X-Forwarded-Host", { origin: "https://evil.example", "x-forwarded-host": "evil.example" }],
  ])("is refused from %s", (_, headers) => {
    expect(isRefused(headers)).toBe(true);
  });

  it("as a read is refused from another site only", () => {
    expect(isRefused({ origin: undefined, "x-trpc-source": undefined }, "GET")).toBe(false);
    expect(isRefused({ "sec-fetch-site": "cross-site" }, "GET")).toBe(true);
  });
});
