import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseDigestKeys } from "@/server/canonical-hash";
import { contentDigest } from "./content-digest";
import { releasedContracts } from "./contracts/registry";
import { readEnvelope, toRecord } from "./envelope";
import type { NewRecord } from "./port";

const folder = path.join(import.meta.dirname, "contracts/fixtures");
const fixture = (name: string): NewRecord => JSON.parse(readFileSync(path.join(folder, name), "utf8"));
const names = readdirSync(folder).filter((name) => /\.v\d+\.json$/.test(name));
const created = fixture("AppointmentCreated.v1.json");
const withHeader = (name: string, value: string): NewRecord => ({ ...created, headers: { ...created.headers, [name]: value } });

describe("event contracts", () => {
  it("every released version has a fixture", () => {
    expect(names.sort()).toEqual(
      releasedContracts()
        .map(({ type, schemaVersion }) => `${type}.v${schemaVersion}.json`)
        .sort(),
    );
  });

  it.each(names)("the released record %s stays readable, and is written the same today", (name) => {
    const record = fixture(name);
    const read = readEnvelope(record);
    if (!read.ok) throw new Error(read.reason);
    expect(toRecord({ ...read.event, partitionKey: record.key })).toEqual(record);
  });

  it("headers are CloudEvents in binary mode: attribute names of lower-case letters and digits", () => {
    for (const name of Object.keys(created.headers)) expect(name).toMatch(/^(ce_[a-z0-9]{1,20}|content-type|traceparent)$/);
    expect(created.headers).toMatchObject({ ce_specversion: "1.0", "content-type": "application/json" });
    expect(created.value).not.toBe("");
  });

  it.each([
    ["a later version", withHeader("ce_dataschema", "urn:appointment-operations:AppointmentCreated:2"), "UNSUPPORTED_SCHEMA"],
    [
      "a type nobody knows",
      { ...created, headers: { ...created.headers, ce_type: "X", ce_dataschema: "urn:appointment-operations:X:1" } },
      "UNSUPPORTED_SCHEMA",
    ],
    ["the key of another appointment", { ...created, key: created.key.replace(/.$/, "9") }, "PARTITION_KEY_MISMATCH"],
    ["a scope that its key does not have", withHeader("ce_clinicid", created.headers.ce_tenantgroupid ?? ""), "PARTITION_KEY_MISMATCH"],
    ["a payload with another field", { ...created, value: created.value.replace("{", '{"note":"x",') }, "INVALID_PAYLOAD"],
    ["a payload that is no JSON", { ...created, value: "{" }, "INVALID_PAYLOAD"],
    ["no tenant", withHeader("ce_tenantgroupid", ""), "INVALID_ENVELOPE"],
    ["an identity in capitals", withHeader("ce_id", (created.headers.ce_id ?? "").replace("019", "01A")), "INVALID_ENVELOPE"],
    ["a sequence of zero", withHeader("ce_aggregateseq", "0"), "INVALID_ENVELOPE"],
    ["a type that its schema contradicts", withHeader("ce_type", "AppointmentCancelled"), "INVALID_ENVELOPE"],
    ["no headers", { ...created, headers: {} }, "INVALID_ENVELOPE"],
  ])("a record with %s is a reason, not an error", (_, record, reason) => {
    expect(readEnvelope(record)).toMatchObject({ ok: false, reason });
  });

  it("the digest of a copy is the same, whatever happened to its trace; another content has another", () => {
    const ring = parseDigestKeys(`k1:${Buffer.from(Array.from({ length: 32 }, (_, i) => i * 5)).toString("base64")}`);
    const digest = contentDigest(ring, created).digest;
    expect(contentDigest(ring, withHeader("traceparent", "00-1")).digest).toBe(digest);
    expect(contentDigest(ring, { ...created, value: `${created.value} ` }).digest).not.toBe(digest);
    expect(contentDigest(ring, withHeader("ce_aggregateseq", "2")).digest).not.toBe(digest);
  });
});
