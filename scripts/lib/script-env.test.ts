import { describe, expect, it } from "vitest";
import { EnvError } from "@/server/env";
import { scriptEnv } from "./script-env";

const url = "postgres://aops_migrator:secret-word@127.0.0.1:5432/aops";
const faultOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(EnvError);
    return (error as Error).message;
  }
  return "";
};

describe("the variables of scripts", () => {
  it("all that is missing or wrong is listed at once, and never a value", () => {
    const fault = faultOf(() => scriptEnv.bootstrap({ DATABASE_URL: url, WORKER_DATABASE_URL: "secret-word@nowhere" }));
    expect(fault).not.toMatch(/^ +DATABASE_URL:/m);
    expect(fault).toContain("  WORKER_DATABASE_URL: must look like postgres://");
    expect(fault).toContain("  MIGRATOR_DATABASE_URL: is not set");
    expect(fault).toContain("  SUPERUSER_DATABASE_URL: is not set");
    expect(fault).not.toContain("secret-word");
  });

  it("a password that no user may have is refused before a user is made; an empty one counts as left out", () => {
    expect(faultOf(() => scriptEnv.ops({ MIGRATOR_DATABASE_URL: url, OPS_PASSWORD: "short" }))).toContain(
      "OPS_PASSWORD: needs at least 12",
    );
    expect(scriptEnv.ops({ MIGRATOR_DATABASE_URL: url, OPS_PASSWORD: "" }).OPS_PASSWORD).toBeUndefined();
  });

  it.each(["abc", "0", "65536", "9092.5"])("no port is %s", (text) => {
    expect(faultOf(() => scriptEnv.kafka({ KAFKA_PORT: text }))).toContain("  KAFKA_PORT: ");
  });

  it("a port is a number, 9092 when left out", () => {
    expect([scriptEnv.kafka({ KAFKA_PORT: "9192" }).KAFKA_PORT, scriptEnv.kafka({}).KAFKA_PORT]).toEqual([9192, 9092]);
  });
});
