import type { Blocker } from "@/server/domain/clinics/types";
import type { NamedBlocker } from "@/server/domain/operations/check-start";

type Named = Blocker & Partial<Pick<NamedBlocker, "visit">>;
export type BlockerGroup = { key: string; subjects: string[]; blocker: Named };

/** One line for each visit, whatever it holds; one for each other reason of a subject. The clinic and its devices first, then doctors by name. */
export function groupBlockers(blockers: readonly Named[]): BlockerGroup[] {
  const groups = new Map<string, BlockerGroup>();
  for (const blocker of blockers) {
    const subject = blocker.subject.name ?? blocker.subject.ref;
    const key = blocker.appointmentRef ?? `${blocker.code} ${blocker.subject.ref} ${blocker.from}`;
    const group = groups.get(key);
    if (!group) groups.set(key, { key, subjects: [subject], blocker });
    else if (!group.subjects.includes(subject)) group.subjects.push(subject);
  }
  const rank = ({ blocker }: BlockerGroup) => (blocker.subject.kind === "DOCTOR" ? 1 : 0);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b) || (rank(a) && (a.subjects[0] ?? "").localeCompare(b.subjects[0] ?? "")));
}
