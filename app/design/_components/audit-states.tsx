"use client";

import { AuditChainBar } from "@/app/(staff)/operations/audit/_components/audit-chain-bar";
import { AuditPlace } from "@/app/(staff)/operations/audit/_components/audit-place";
import { AuditTable } from "@/app/(staff)/operations/audit/_components/audit-table";
import type { AuditChainView, AuditEntryView, AuditRow } from "@/server/domain/operations/audit-types";
import { Part } from "./part";
import { QuietQueries } from "./quiet-queries";
import { at, day, zone } from "./samples";

const nothing = () => {};
const row = (n: number, result: AuditRow["result"], more: Partial<AuditRow> = {}): AuditRow => ({
  id: `a${n}`,
  seq: String(4110 + n),
  at: day(`14:0${n}`),
  actorKind: "person",
  actorRef: "ST-000417",
  actorRole: "STAFF",
  act: "planning.applied",
  result,
  reasonCode: null,
  reason: null,
  tenantGroupRef: "TG-014000",
  clinicRef: "CL-203000",
  clinicName: "Harbour",
  zone,
  subjectType: "planning-run",
  subjectId: "019c1f00-0000-7000-8000-000000000001",
  subjectRef: "SOL-004110",
  commandId: null,
  details: {},
  digest: "9f2c41d8a1b7b07e",
  ...more,
});
const rows = [
  row(1, "DONE", { details: { version: 3 } }),
  row(2, "STALE_REJECTED"),
  row(3, "NO_CHANGE", { act: "delivery.assign", actorKind: "token", actorRole: null, actorRef: "AC-0DHC80" }),
  row(4, "REFUSED", { act: "access.refused", reasonCode: "RIGHT_MISSING", details: { right: "STAFF" }, clinicRef: null, clinicName: null }),
  row(5, "DONE", { act: "delivery.keepQuarantined", reason: "Waits for release 12.", actorKind: "worker", actorRole: null }),
];

const chain: AuditChainView = {
  sealedThrough: "4115",
  sealedAt: day("14:06"),
  unsealed: 0,
  oldestUnsealedSeconds: null,
  lastCheck: { finishedAt: day("13:00"), throughSeq: "4080", checkpoints: 68, requestedBy: "worker", fault: null, faultSeq: null },
  isChecking: false,
  hours: Array.from({ length: 24 }, (_, n) => (n * 7) % 11),
  asOf: new Date(at).toISOString(),
};
const broken = {
  finishedAt: day("13:00"),
  throughSeq: "4080",
  checkpoints: 68,
  requestedBy: "worker",
  fault: "DIGEST_DIFFERS",
  faultSeq: "4012",
};
const chains: (AuditChainView | null)[] = [
  chain,
  { ...chain, unsealed: 3, oldestUnsealedSeconds: 420, isChecking: true, lastCheck: null },
  { ...chain, lastCheck: broken },
  null,
];

const [before, after] = [
  { seq: "4110", hash: "0a11bd2299f1" },
  { seq: "4112", hash: "77cd01aa30be" },
];
const placed = (holds: boolean | null): AuditEntryView => ({
  ...row(1, "DONE"),
  place: { sealedAt: day("14:01"), digest: "9f2c", keyId: "k1", hash: "5e0c9921ab77", before, after, digestHolds: holds, linkHolds: holds },
  related: [],
  relatedCount: 0,
  relatedOf: null,
  asOf: new Date(at).toISOString(),
});
const entries: AuditEntryView[] = [placed(true), placed(false), placed(null), { ...placed(true), seq: null, place: null }];

/** Entries with each result, the chain as it is whole, unchecked, broken and not read, and the place of an entry in it. */
export function AuditStates() {
  return (
    <>
      <Part name="AuditChainBar">
        {chains.map((one, n) => (
          <QuietQueries
            // biome-ignore lint/suspicious/noArrayIndexKey: invented, in a fixed order
            key={n}
            seed={(client, trpc) => void (one && client.setQueryData(trpc.audit.chain.queryKey({ clinic: undefined }), one))}
            fails={one === null}
          >
            <AuditChainBar clinic={undefined} zone={zone} live />
          </QuietQueries>
        ))}
      </Part>
      <Part name="AuditTable">
        <AuditTable rows={rows} zone={zone} openId="a2" focusId={null} onOpen={nothing} onFocusRow={nothing} />
      </Part>
      <Part name="AuditPlace">
        <div className="grid grid-cols-2 gap-2">
          {entries.map((entry) => (
            <div key={String(entry.place?.digestHolds)} className="border border-line">
              <AuditPlace entry={entry} zone={zone} />
            </div>
          ))}
        </div>
      </Part>
    </>
  );
}
