import { createHash } from "node:crypto";
import { framed } from "@/server/canonical-hash";
import { type FactValue, factRecords } from "./fact-groups";
import { type FactGroup, factGroups, type PlanningFactVersion, type PlanningSnapshot } from "./types";

/** Of the framing and of what is in it. A version of another one is never equal to this one, so a plan of an older release is stale, not trusted. */
export const planningFactFraming = "pf:v1";

/**
 * The version of the facts that a snapshot holds: SHA-256 over typed, length-framed fields, rows sorted by their bytes in code. The order of rows and of
 * keys and the zone of the reader do not matter; visits are not in it (the versions of a run's sources cover them). `framing`: another one than that of this release makes the version of another release.
 */
export function planningFactVersion(snapshot: PlanningSnapshot, framing = planningFactFraming): PlanningFactVersion {
  const groups = Object.fromEntries(factGroups.map((group) => [group, groupDigest(snapshot, group, framing)])) as Record<FactGroup, string>;
  const { clinicId, fromDate, untilDate } = snapshot.range;
  const scope = [snapshot.facts.clinic.tenantGroupId, clinicId, fromDate, untilDate];
  return { version: sha256([framed([framing, ...scope, ...factGroups.flatMap((group) => [group, groups[group]])])]), groups };
}

function groupDigest(snapshot: PlanningSnapshot, group: FactGroup, framing: string): string {
  const tables = factRecords.filter((records) => records.group === group);
  return sha256([
    framed([framing, group]),
    ...tables.flatMap(({ table, rows }) => {
      const encoded = rows(snapshot).map(encodeRow).sort(Buffer.compare);
      return [framed([table, String(encoded.length)]), ...encoded.flatMap((row) => [lengthOf(row), row])];
    }),
  ]);
}

/** Each field with its name, by name. */
const encodeRow = (row: Record<string, FactValue>): Buffer =>
  framed(
    Object.keys(row)
      .sort()
      .flatMap((name) => [name, row[name] as FactValue]),
  );

function lengthOf(row: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(row.length);
  return length;
}

function sha256(parts: readonly Buffer[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}
