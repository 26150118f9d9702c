import { type Db, withRead } from "@/db/client";
import { contentDigest } from "@/server/domain/event-log/content-digest";
import { type Envelope, type EnvelopeFault, type PublishedEvent, readEnvelope } from "@/server/domain/event-log/envelope";
import type { LogRecord } from "@/server/domain/event-log/port";
import { newUuid } from "@/server/ids";
import type { InboxRuntime } from "./types";

/** A record whose identity and scope can be stored. `refusal`: why it goes to quarantine at once; then there is no event to handle. */
export type Arrival = {
  /** Made here, so that a claim whose COMMIT was not answered finds its own rows again. */
  inboxId: string;
  record: LogRecord;
  envelope: Envelope;
  digest: string;
  digestKeyId: string;
} & ({ event: PublishedEvent; refusal: null } | { event: null; refusal: Exclude<EnvelopeFault, "INVALID_ENVELOPE"> });

export type Rejection = { record: LogRecord; reason: "INVALID_ENVELOPE" | "SCOPE_MISMATCH" | "IDENTITY_CONFLICT" };

/** Tells records that can have a row from those that cannot: no readable identity, or a clinic that is not one of the tenant it names. */
export async function sortArrivals(runtime: InboxRuntime, records: LogRecord[]): Promise<{ arrivals: Arrival[]; rejections: Rejection[] }> {
  const arrivals: Arrival[] = [];
  const rejections: Rejection[] = [];
  for (const record of records) {
    const read = readEnvelope(record);
    if (!read.ok && read.reason === "INVALID_ENVELOPE") {
      rejections.push({ record, reason: read.reason });
      continue;
    }
    const { digest, keyId } = contentDigest(runtime.ring, record);
    const base = { inboxId: newUuid(), record, digest, digestKeyId: keyId };
    if (read.ok) arrivals.push({ ...base, envelope: read.event, event: read.event, refusal: null });
    else arrivals.push({ ...base, envelope: read.envelope as Envelope, event: null, refusal: read.reason as "UNSUPPORTED_SCHEMA" });
  }
  const inScope = await knownScopes(runtime.db, runtime.worker, arrivals);
  for (const { record } of arrivals.filter((arrival) => !inScope(arrival))) rejections.push({ record, reason: "SCOPE_MISMATCH" });
  return { arrivals: arrivals.filter(inScope), rejections };
}

/** A clinic never changes its tenant group, so what was found once is true for ever. */
const scopes = new Map<string, string>();

async function knownScopes(db: Db, worker: string, arrivals: Arrival[]): Promise<(arrival: Arrival) => boolean> {
  const unknown = [...new Set(arrivals.map(({ envelope }) => envelope.clinicId).filter((clinicId) => !scopes.has(clinicId)))];
  if (unknown.length > 0) {
    const rows = await withRead(
      db,
      { worker },
      (tx) => tx.sql`select id, tenant_group_id from clinics where id = any (${unknown}::uuid[])`,
    );
    for (const row of rows) scopes.set(row.id, row.tenant_group_id);
  }
  return ({ envelope }) => scopes.get(envelope.clinicId) === envelope.tenantGroupId;
}
