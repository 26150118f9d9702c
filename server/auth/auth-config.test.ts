import { expect, it } from "vitest";
import { authConfig } from "./auth-config";

const sessionOf = (exp: number | undefined) =>
  authConfig.callbacks.session({
    session: { expires: "2026-08-18T20:00:00.000Z" },
    token: { sub: "user", tenantGroupId: "group", exp, name: "Somebody" },
  } as never);

it("a session ends with the cookie that came, and names nothing but user and tenant group", () => {
  expect(sessionOf(Date.UTC(2026, 7, 18, 14) / 1000)).toEqual({
    expires: "2026-08-18T14:00:00.000Z",
    user: { id: "user", tenantGroupId: "group" },
  });
  expect(sessionOf(undefined).expires).toBe("2026-08-18T20:00:00.000Z");
});
