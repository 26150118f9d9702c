// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the loops over the same arrays
import type { Kind, ModelUse } from "./model";
import type { Problem, ProblemTreatment, Use } from "./types";

/** Treatments over cells. A visit that may stay where it is although that is no start of its treatment gets a kind of its own. */
export function layOutKinds(problem: Problem): { kinds: Kind[]; kindOf: Kind[]; cells: number[] } {
  const cells = cellsWhereClaimsBegin(problem);
  const kinds = problem.treatments.map((_, treatment) => layOutKind(problem, treatment, cells));
  const own: Kind[] = [];
  const kindOf = problem.visits.map(({ treatment, stay }) => {
    const kind = kinds[treatment]!;
    const place = stay && stay.doctor * problem.starts.length + stay.start;
    if (place === null || kind.open[place] === 1) return kind;
    const open = kind.open.slice();
    open[place] = 1;
    own.push({ ...kind, open });
    return own.at(-1)!;
  });
  return { kinds: [...kinds, ...own], kindOf, cells };
}

function layOutKind({ treatments, starts, doctors }: Problem, index: number, cells: number[]): Kind {
  const treatment = treatments[index]!;
  const open = new Uint8Array(doctors.length * starts.length);
  for (const [doctor, possible] of treatment.starts.entries()) for (const start of possible) open[doctor * starts.length + start] = 1;
  if (treatment.options.length === 0) open.fill(0);
  const over = (offset: number, minutes: number) => {
    const spans = starts.map(({ at }) => cellsOf(cells, at + offset, at + offset + minutes));
    return { from: Int32Array.from(spans, ({ from }) => from), until: Int32Array.from(spans, ({ until }) => until) };
  };
  const claim = over(-treatment.before, treatment.before + treatment.minutes + treatment.after);
  const visit = over(0, treatment.minutes);
  return {
    treatment: index,
    open,
    limits: treatment.limits,
    options: treatment.options.map((option) =>
      unitsTogether(option).map(({ equipment, units, offset, minutes }): ModelUse => ({ equipment, units, ...over(offset, minutes) })),
    ),
    claimFrom: claim.from,
    claimUntil: claim.until,
    visitFrom: visit.from,
    visitUntil: visit.until,
  };
}

/** Every moment at which a claim, ours or not, may begin, or a device goes out. */
function cellsWhereClaimsBegin({ starts, treatments, doctors, clinic, equipment }: Problem): number[] {
  const cells = new Set<number>();
  for (const { before, options } of treatments) {
    const offsets = new Set([0, -before, ...options.flatMap((option) => unitsTogether(option).map(({ offset }) => offset))]);
    for (const { at } of starts) for (const offset of offsets) cells.add(at + offset);
  }
  const taken = [clinic, ...doctors, ...equipment].flatMap((one) => one.taken);
  for (const { from } of [...taken, ...equipment.flatMap(({ out }) => out)]) cells.add(from);
  return [...cells].sort((a, b) => a - b);
}

/** The cells in [from, until). */
export function cellsOf(cells: number[], from: number, until: number): { from: number; until: number } {
  return { from: indexOf(cells, from), until: indexOf(cells, until) };
}

function indexOf(cells: number[], moment: number): number {
  let [low, high] = [0, cells.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cells[middle]! < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Uses of one device by one visit, cut where their number changes, so that each piece can be checked by itself. */
function unitsTogether(option: ProblemTreatment["options"][number]): (Use & { units: number })[] {
  return [...new Set(option.map(({ equipment }) => equipment))].flatMap((equipment) => {
    const uses = option.filter((use) => use.equipment === equipment);
    const bounds = [...new Set(uses.flatMap(({ offset, minutes }) => [offset, offset + minutes]))].sort((a, b) => a - b);
    return bounds.slice(1).flatMap((until, i) => {
      const offset = bounds[i]!;
      const units = uses.filter((use) => use.offset <= offset && until <= use.offset + use.minutes).length;
      return units > 0 ? [{ equipment, offset, minutes: until - offset, units }] : [];
    });
  });
}
