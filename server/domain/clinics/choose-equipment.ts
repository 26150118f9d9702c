import type { ClinicTime } from "./clinic-time";
import type { LoadProfile } from "./load-profile";
import { minuteMs, type Span } from "./local-time";
import { SpanWalker } from "./spans";
import type { Subject } from "./subject";
import type { EquipmentFact, NeedFact } from "./types";

export type EquipmentPick = Span & { device: EquipmentFact };
type Option = { device: EquipmentFact; profile: LoadProfile; full: SpanWalker };
type Need = { offsetMs: number; usageMs: number; options: Option[] };

/**
 * Answers, for starts that never go back, which device or room meets each need of the treatment: first choices first, needs in their order; and how
 * many such visits the devices could take. `undefined` when not all needs can be met together.
 */
export function equipmentChooser(time: ClinicTime, subject: Subject) {
  const needs = subject.treatment.needs.map((need): Need => {
    const { from, until } = usageOf(need, subject, 0);
    const options = optionsOf(time, need).map((device): Option => {
      const profile = time.profileOf({ id: device.resourceId, seats: device.resourceSeats }, subject.ignore);
      return { device, profile, full: new SpanWalker(profile.full(null)) };
    });
    return { offsetMs: from, usageMs: until - from, options };
  });
  return (start: number): { picks: EquipmentPick[]; free: number } | undefined => {
    const possible: { pick: EquipmentPick; profile: LoadProfile }[][] = [];
    for (const { offsetMs, usageMs, options } of needs) {
      const [from, until] = [start + offsetMs, start + offsetMs + usageMs];
      const clear = options.filter(({ full }) => full.isClear(from, until));
      if (clear.length === 0) return undefined; // a need without any option is no "no constraint"
      possible.push(clear.map(({ device, profile }) => ({ pick: { device, from, until }, profile })));
    }
    const picks = chooseTogether(possible);
    return picks && { picks, free: Math.min(...possible.map(sumOfFree)) };
  };
}

/** The devices that may meet a need, first choice first. */
export const optionsOf = (time: ClinicTime, need: NeedFact): EquipmentFact[] =>
  need.equipmentIds.flatMap((id) => time.facts.equipment.filter((device) => device.id === id && device.active));

/** When a need uses its device, for a visit that starts at `start`. */
export function usageOf(need: NeedFact, subject: Pick<Subject, "durationMs">, start: number): Span {
  const from = start + need.usageOffsetMinutes * minuteMs;
  const usageMs = need.usageMinutes === null ? subject.durationMs - need.usageOffsetMinutes * minuteMs : need.usageMinutes * minuteMs;
  return { from, until: from + usageMs };
}

const sumOfFree = (options: { pick: EquipmentPick; profile: LoadProfile }[]): number =>
  options.reduce((sum, { pick, profile }) => sum + profile.free(pick.from, pick.until, null), 0);

/** Depth first over the needs: two needs of one visit may want the same device at once, and it has only so many units. */
function chooseTogether(
  needs: readonly { pick: EquipmentPick; profile: LoadProfile }[][],
  chosen: EquipmentPick[] = [],
): EquipmentPick[] | undefined {
  const options = needs[chosen.length];
  if (!options) return chosen;
  for (const { pick, profile } of options) {
    const ofDevice = [...chosen, pick].filter(({ device }) => device.resourceId === pick.device.resourceId);
    if (ofDevice.length > 1 && !profile.fits(ofDevice, null)) continue;
    const all = chooseTogether(needs, [...chosen, pick]);
    if (all) return all;
  }
  return undefined;
}
