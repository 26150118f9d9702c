// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import { Matrix } from "./matrix";
import type { Kind, Model, Spots } from "./model";
import { type KindPlace, RoomRows } from "./room-rows";

type Group = { kind: Kind; visits: number[] };
export type GroupMip = {
  matrix: Matrix;
  encode: (spots: Spots) => Float64Array;
  /** The places that are taken, once each. */
  decode: (values: ArrayLike<number>) => KindPlace[];
  /** The fewest visits without a place when the model's value is no less than this. */
  leastOut: (bound: number) => number;
};

/**
 * How many visits can have a place at all: those of one kind are not told apart, and what they cost is left out, so that one column stands for a place of
 * dozens of visits. Every plan is a plan of this model too, so as many as stay out here stay out of any. Of plans with equally many it is the one with the
 * fewest visits at a place where none of their kind would like to be.
 */
export function buildGroupMip(model: Model, spots: Spots): GroupMip {
  const matrix = new Matrix();
  const groups = groupsOf(model);
  const placed = groups.reduce((sum, { visits }) => sum + visits.length, 0);
  const outCost = placed + 1;
  const places = groups.flatMap((group, index) => placesOf(model, group).map((place) => ({ ...place, group: index })));
  const rows = new RoomRows(model, matrix, { places, stay: { spots, visits: [] } });
  const groupRow = groups.map(({ visits }) => matrix.addRow(visits.length, visits.length));
  for (const place of places) {
    const upper = Math.min(groups[place.group]!.visits.length, place.kind.limits[place.doctor]!);
    matrix.addColumn(place.isLiked ? 0 : 1, [{ row: groupRow[place.group]!, value: 1 }, ...rows.entriesOf(place)], { upper });
  }
  const outs = groups.map(({ visits }, group) =>
    matrix.addColumn(outCost, [{ row: groupRow[group]!, value: 1 }], { upper: visits.length }),
  );
  const columnOf = new Map(places.map(({ group, doctor, start, option }, column) => [`${group} ${doctor} ${start} ${option}`, column]));
  return {
    matrix,
    encode: ({ start, doctor, option }) => {
      const values = new Float64Array(matrix.cost.length);
      for (const [group, { visits }] of groups.entries())
        for (const visit of visits)
          values[start[visit]! < 0 ? outs[group]! : columnOf.get(`${group} ${doctor[visit]} ${start[visit]} ${option[visit]}`)!]! += 1;
      return values;
    },
    decode: (values) => places.filter((_, column) => values[column]! > 0.5),
    leastOut: (bound) => Math.max(0, Math.ceil((bound - placed) / outCost - 1e-6)) + model.visits.length - placed,
  };
}

/** Visits that can be nowhere belong to none. */
function groupsOf({ kinds, visits }: Model): Group[] {
  const possible = [...visits.keys()].filter((visit) => visits[visit]!.byCost.length > 0);
  return kinds
    .map((kind) => ({ kind, visits: possible.filter((visit) => visits[visit]!.kind === kind) }))
    .filter((group) => group.visits.length > 0);
}

/** `isLiked`: it costs one of the visits nothing. */
function placesOf({ visits, doctorCount, startCount }: Model, group: Group): (KindPlace & { isLiked: boolean })[] {
  const { kind } = group;
  const places: (KindPlace & { isLiked: boolean })[] = [];
  for (let start = 0; start < startCount; start += 1) {
    const able = group.visits.filter((visit) => visits[visit]!.startCosts[start]! >= 0);
    if (able.length === 0) continue;
    for (let doctor = 0; doctor < doctorCount; doctor += 1) {
      if (kind.open[doctor * startCount + start] !== 1) continue;
      const isLiked = able.some((visit) => {
        const { startCosts, favourite, otherCost } = visits[visit]!;
        return startCosts[start] === 0 && (doctor === favourite || otherCost === 0);
      });
      for (const option of kind.options.keys()) places.push({ kind, doctor, start, option, isLiked });
    }
  }
  return places;
}
