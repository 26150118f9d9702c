import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { problems } from "@/server/app-error";
import { openApiDocument } from "./document";

type Document = { openapi: string; paths: Record<string, Record<string, { operationId: string; parameters?: { name: string }[] }>> };
const document = openApiDocument() as Document;
const root = path.resolve(import.meta.dirname, "../../..");

/** Address and method of every route file of the API, catch-all and refused methods left out. */
function routesOnDisk(): string[] {
  const files = readdirSync(path.join(root, "app/api/v1"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("route.ts") && !file.includes("[..."))
    .map((file) => path.join("api/v1", file));
  return [...files, "appointments/route.ts"].flatMap((file) => {
    const address = `/${path.dirname(file)}`.replace(/\[(\w+)\]/g, "{$1}");
    const source = readFileSync(path.join(root, "app", file), "utf8");
    const exported = [...source.matchAll(/(\w+) as (GET|POST|PUT|PATCH|DELETE)/g)].filter(([, name]) => name !== "methodNotAllowed");
    return exported.map(([, , method]) => `${method?.toLowerCase()} ${address}`);
  });
}

describe("the OpenAPI document", () => {
  it("has every route, and no other", () => {
    const documented = Object.entries(document.paths).flatMap(([address, methods]) =>
      Object.keys(methods).map((method) => `${method} ${address}`),
    );
    expect(document.openapi).toBe("3.1.0");
    expect(documented.sort()).toEqual(routesOnDisk().sort());
  });

  it("names the key and the version where a command takes them", () => {
    const names = (address: string) => document.paths[address]?.post?.parameters?.map(({ name }) => name);
    expect(names("/api/v1/clinics/{clinicId}/appointments")).toEqual(expect.arrayContaining(["clinicId", "Idempotency-Key"]));
    expect(names("/api/v1/clinics/{clinicId}/appointments/{appointmentId}/cancel")).toEqual(
      expect.arrayContaining(["appointmentId", "Idempotency-Key", "If-Match"]),
    );
  });
});

describe("docs/http-api.md", () => {
  const text = readFileSync(path.join(root, "docs/http-api.md"), "utf8");

  it("lists every code with its status and what to do, and no code that is gone", () => {
    const listed = [...text.matchAll(/^\| `([a-z-]+)` \| (\d{3}) \| (.+?) \|/gm)].map(([, code, status, advice]) => ({
      code,
      status,
      advice,
    }));
    const known = Object.entries(problems).map(([code, { status, whatToDo }]) => ({ code, status: String(status), advice: whatToDo }));
    expect(listed.toSorted(byCode)).toEqual(known.toSorted(byCode));
  });

  it("names every operation", () => {
    for (const [address, methods] of Object.entries(document.paths))
      for (const method of Object.keys(methods)) expect(text).toContain(`${method.toUpperCase()} ${address}`);
  });
});

const byCode = (a: { code?: string }, b: { code?: string }) => ((a.code ?? "") < (b.code ?? "") ? -1 : 1);
