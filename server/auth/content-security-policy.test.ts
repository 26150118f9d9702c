import { describe, expect, it } from "vitest";
import { contentSecurityPolicy } from "./content-security-policy";

const directives = (policy: string) => new Map(policy.split("; ").map((part) => [part.split(" ")[0], part.split(" ").slice(1).join(" ")]));

describe("the policy of a page", () => {
  it("runs scripts with its own nonce only: none inline, none evaluated", () => {
    const policy = directives(contentSecurityPolicy("abc", true, false));
    expect(policy.get("script-src")).toBe("'self' 'nonce-abc' 'strict-dynamic'");
    expect([policy.get("default-src"), policy.get("object-src"), policy.get("base-uri")]).toEqual(["'self'", "'none'", "'none'"]);
  });

  it("lets nobody frame it, and forms go nowhere else", () => {
    const policy = directives(contentSecurityPolicy("abc", false, false));
    expect([policy.get("frame-ancestors"), policy.get("form-action")]).toEqual(["'none'", "'self'"]);
  });

  it("asks for TLS where there is TLS", () => {
    expect(contentSecurityPolicy("abc", true)).toContain("upgrade-insecure-requests");
    expect(contentSecurityPolicy("abc", false)).not.toContain("upgrade-insecure-requests");
  });
});
