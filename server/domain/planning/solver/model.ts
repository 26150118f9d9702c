// A problem laid out for the engines: times become cells, and everything that only one visit decides becomes a table.
//
// A cell is a moment at which some claim may begin, and a claim takes the cells that lie in it. Claims that overlap share the moment at which the later
// one begins, so counting in cells is exact whatever the durations are, and nights cost nothing.
import type { Problem } from "./types";

/** One use of a device by an option: its cells for each start, and how many units it takes (two needs may want one device at once). */
export type ModelUse = { equipment: number; units: number; from: Int32Array; until: Int32Array };

/** A treatment laid out over the starts; a visit that may stay off the grid has one of its own. */
export type Kind = {
  treatment: number;
  /** [doctor × starts + start]: 1 where a visit may begin. */
  open: Uint8Array;
  limits: number[];
  options: ModelUse[][];
  /** Cells of the doctor's claim, which holds the buffers, and of the visit itself; by start. */
  claimFrom: Int32Array;
  claimUntil: Int32Array;
  visitFrom: Int32Array;
  visitUntil: Int32Array;
};

export type VisitModel = {
  kind: Kind;
  /** Who can take it at some start, cheapest first. */
  doctors: Int32Array;
  doctorCosts: Int32Array;
  /** The doctor who costs nothing, while every other costs `otherCost`; −1: there is none. */
  favourite: number;
  otherCost: number;
  /** By start; −1 where it cannot begin with anybody. */
  startCosts: Int32Array;
  /** The starts at which it can begin, cheapest first, then in time order. */
  byCost: Int32Array;
  /** The same, by day. */
  startsOfDay: Int32Array[];
  unassignedCost: number;
  /** Tried in this order: the devices that it has come first. */
  options: Int32Array;
  /** Other visits of the problem with the same patient. */
  samePatient: Int32Array;
  minutes: number;
};

/** Claims that are not ours to move, in cells. */
export type Fixed = {
  doctors: { doctor: number; from: number; until: number; limit: number }[];
  clinic: { from: number; until: number }[];
  equipment: { equipment: number; from: number; until: number }[];
};

export type Model = {
  problem: Problem;
  visits: VisitModel[];
  /** Each is laid out once, however many visits it has. */
  kinds: Kind[];
  doctorCount: number;
  equipmentCount: number;
  startCount: number;
  cellCount: number;
  days: number;
  dayOf: Int32Array;
  at: Float64Array;
  /** The different limits of claims on doctors, ascending. */
  limits: number[];
  clinicLimit: number;
  /** [equipment × cells + cell]: quantity minus what is out. */
  units: Int32Array;
  /** [doctor × days + day]: visits that are not ours to move. */
  fixedLoad: Int32Array;
  fixed: Fixed;
};

/** No limit; small enough for 32-bit sums. */
export const unlimited = 1 << 28;

/** One plan in the engines' form: by visit, −1 without a place. */
export type Spots = { start: Int32Array; doctor: Int32Array; option: Int32Array };

export const copySpots = ({ start, doctor, option }: Spots): Spots => ({
  start: start.slice(),
  doctor: doctor.slice(),
  option: option.slice(),
});
