import type { WeightsFact } from "./types";

/** What holds for a clinic without a row of its own: a visit without a place outweighs every move, a patient who was told outweighs one who was not. */
export const builtInWeights: WeightsFact = {
  unassigned: 100_000,
  movedTold: 1_000,
  movedUntold: 200,
  doctorChanged: 300,
  perDayMoved: 100,
  perQuarterMoved: 1,
  otherDoctor: 300,
  perDayOff: 100,
  outsideWindow: 50,
  loadPair: 5,
  gapPerFiveMinutes: 1,
};
