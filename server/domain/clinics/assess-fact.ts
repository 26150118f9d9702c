import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { affectedBy, type PlacedVisit } from "./affected-by";
import { type FactRow, rowOf } from "./fact-row";
import type { AffectedView, FactWish } from "./fact-types";
import { loadClinicFacts } from "./load-facts";
import { parseWallClock, type Span } from "./local-time";
import { placedVisits } from "./placed-visits";
import type { ClinicFacts, Scope } from "./types";

export type Assessed = { row: FactRow; affected: AffectedView; facts: ClinicFacts };

const dayMs = 86_400_000;

/**
 * What a wish would write and which visits it leaves without a place, from now on; the preview and the command ask the same. `replaced`: the row that it
 * changes. Two statements. Throws AppError fact-invalid with why, not-found for a clinic out of scope.
 */
export async function assessFact(
  tx: Tx,
  scope: Scope,
  { clinicId, wish, now, replaced }: { clinicId: string; wish: FactWish; now: number; replaced?: string | undefined },
): Promise<Assessed> {
  const near = nearSpan(wish, now);
  const facts = await loadClinicFacts(tx, scope, { clinicId, ...near, withoutClaims: true });
  if (!facts) throw new AppError("not-found");
  const row = rowOf(facts, wish, now);
  const { doctorId, resourceId, span } = row;
  const visits = await placedVisits(tx, {
    clinicId,
    from: Math.max(now, span?.from ?? now),
    until: span?.until ?? null,
    doctorId,
    resourceId,
  });
  const laidOut = row.pause ? { ...facts, range: rangeOf(visits, now) } : facts;
  return { row, facts, affected: affectedBy(laidOut, row, visits, replaced) };
}

/** The zone is not known yet: two days on each side are more than any needs. */
function nearSpan(wish: FactWish, now: number): Span {
  if (wish.kind === "break") return { from: now, until: now + dayMs };
  const [from, until] = [wish.input.from, wish.input.until].map(
    (text) => parseWallClock(text.length === 10 ? `${text}T00:00` : text) ?? now,
  ) as [number, number];
  return { from: from - 2 * dayMs, until: Math.max(from, until) + 3 * dayMs };
}

/** Weekly facts are laid out over the visits that they can touch. */
export const rangeOf = (visits: readonly PlacedVisit[], now: number): Span => ({
  from: visits[0]?.from ?? now,
  until: Math.max(now, ...visits.slice(-200).map(({ until }) => until)) + 1,
});
