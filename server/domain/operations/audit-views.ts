import type { View } from "@/server/domain/audit/record-view";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import type { DeliveryEvidence } from "./delivery-evidence";
import type { PlanningEvidence } from "./planning-types";
import type { StoryHead } from "./story-types";

const clinicNamed = (actor: SignedInPerson, ref: string): string | null => actor.clinicIds[actor.clinicRefs.indexOf(ref)] ?? null;

/** What somebody saw who opened the evidence of a row; no record of its command, so that reading a story adds nothing to it. A row without a version of its own is told apart by its state. */
export function evidenceView(actor: SignedInPerson, evidence: DeliveryEvidence): View {
  const [subjectType = "inbox", subjectId = ""] = evidence.id.split(".");
  return {
    act: "evidence.viewed",
    clinicId: clinicNamed(actor, evidence.scope.clinicRef),
    subjectType,
    subjectId,
    version: evidence.rowVersion ?? evidence.state,
  };
}

/** What somebody saw who opened the story of a command: another view for each day (UTC) on which it is read, because it grows by itself. */
export function storyView(actor: SignedInPerson, head: StoryHead): View {
  return {
    act: "story.viewed",
    clinicId: clinicNamed(actor, head.scope.clinicRef),
    subjectType: "command",
    subjectId: head.commandId,
    version: head.asOf.slice(0, 10),
  };
}

/** What somebody saw who opened a run, or the messages of a clinic: of those another view for each hour (UTC), because they change by themselves. */
export function planningView({ row, asOf }: PlanningEvidence): View {
  const [, subjectId = ""] = row.id.split(".");
  const seen = { act: "evidence.viewed", clinicId: row.clinicId, subjectId };
  return row.kind === "run"
    ? { ...seen, subjectType: "planning-run", version: row.version }
    : { ...seen, subjectType: "notification-backlog", version: asOf.slice(0, 13) };
}
