// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import type { Kernel } from "./kernel-mip";
import type { Model, Spots } from "./model";
import type { ReducedCosts } from "./reduced-costs";
import type { Region } from "./regions";
import type { KindPlace } from "./room-rows";

export class KernelChoice {
  /** Places that may be in a better plan. */
  count = 0;

  constructor(
    private readonly model: Model,
    private readonly reduced: ReducedCosts,
  ) {
    reduced.forEach(() => {
      this.count += 1;
    });
  }

  /** Everything that a better plan may consist of: solving it proves the best plan. */
  all(spots: Spots): Kernel {
    const places: Kernel["places"] = [];
    this.reduced.forEach((visit, doctor, start, option) => {
      if (!isNow(spots, { visit, doctor, start, option })) places.push({ visit, doctor, start, option });
    });
    const visits = [...this.model.visits.keys()];
    return this.kernel(spots, visits, places, (visit) => spots.start[visit]! < 0 || this.reduced.ofNoPlace(visit) <= this.reduced.room);
  }

  /** The visits of a region and those without a place, at the most promising places of the region. */
  ofRegion(spots: Spots, region: Region, placesMax: number): Kernel {
    const { dayOf, visits } = this.model;
    const isFree = [...visits.keys()].map((visit) => {
      const start = spots.start[visit]!;
      return start < 0 || region(spots.doctor[visit]!, dayOf[start]!);
    });
    const found: { place: Kernel["places"][number]; cost: number }[] = [];
    this.reduced.forEach((visit, doctor, start, option, cost) => {
      const place = { visit, doctor, start, option };
      if (isFree[visit] && region(doctor, dayOf[start]!) && !isNow(spots, place) && this.isClear(spots, isFree, visit, start))
        found.push({ place, cost });
    });
    if (found.length > placesMax) found.sort((a, b) => a.cost - b.cost);
    const free = [...visits.keys()].filter((visit) => isFree[visit]);
    return this.kernel(
      spots,
      free,
      found.slice(0, placesMax).map(({ place }) => place),
      () => true,
    );
  }

  private kernel(spots: Spots, visits: number[], places: Kernel["places"], mayStayOut: Kernel["mayStayOut"]): Kernel {
    const now = visits.filter((visit) => spots.start[visit]! >= 0);
    const stay = now.map((visit) => ({ visit, doctor: spots.doctor[visit]!, start: spots.start[visit]!, option: spots.option[visit]! }));
    return { visits, places: [...places, ...stay], mayStayOut };
  }

  /** Whether the patient is not with somebody else then, in a visit that stays where it is. */
  private isClear(spots: Spots, isFree: boolean[], visit: number, start: number): boolean {
    const { visits, at } = this.model;
    for (const other of visits[visit]!.samePatient) {
      const there = spots.start[other]!;
      if (isFree[other] || there < 0) continue;
      if (at[there]! < at[start]! + visits[visit]!.minutes && at[start]! < at[there]! + visits[other]!.minutes) return false;
    }
    return true;
  }
}

/**
 * Everybody where they are or at one of these places: at one that costs nothing, where there is one for them, and otherwise at any that is left, so that
 * the kernel is as large as the number of those who move.
 */
export function kernelOfPlaces({ visits }: Model, spots: Spots, offered: KindPlace[]): Kernel {
  const given = new Map<KindPlace, number>();
  for (const [visit, { kind, startCosts, favourite, otherCost }] of visits.entries()) {
    const costsNothing = ({ start, doctor }: KindPlace) => startCosts[start] === 0 && (doctor === favourite || otherCost === 0);
    const own = offered.find((place) => place.kind === kind && !given.has(place) && costsNothing(place));
    if (own) given.set(own, visit);
  }
  const settled = new Set(given.values());
  const places: Kernel["places"] = [];
  for (const [visit, { kind, startCosts }] of visits.entries()) {
    for (const place of offered) {
      const { doctor, start, option } = place;
      const isFor = settled.has(visit) ? given.get(place) === visit : !given.has(place) || kind.limits[doctor]! > 1;
      if (place.kind !== kind || !isFor || startCosts[start]! < 0) continue;
      if (!isNow(spots, { visit, doctor, start, option })) places.push({ visit, doctor, start, option });
    }
    if (spots.start[visit]! >= 0)
      places.push({ visit, doctor: spots.doctor[visit]!, start: spots.start[visit]!, option: spots.option[visit]! });
  }
  return { visits: [...visits.keys()], places, mayStayOut: () => true };
}

const isNow = (spots: Spots, { visit, doctor, start, option }: Kernel["places"][number]): boolean =>
  spots.start[visit] === start && spots.doctor[visit] === doctor && spots.option[visit] === option;
