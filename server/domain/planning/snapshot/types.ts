// What a plan is calculated from: the facts of a clinic and the visits of a range of its dates, read once.
import type { ClinicFacts } from "../../clinics/types";

/** Dates of the clinic's own calendar, both included. */
export type PlanningRange = { clinicId: string; fromDate: string; untilDate: string };

/** A visit that begins in the range and is not over. Its version when the snapshot was read is what a compare-and-set expects. */
export type VisitFact = {
  id: string;
  ref: string;
  status: "REQUESTED" | "CONFIRMED" | "PENDING_RESCHEDULE" | "CHECKED_IN" | "IN_PROGRESS";
  version: string;
  /** Moves with time, doctor, equipment or the end of its claims; not with a check-in. */
  placementVersion: string;
  patientId: string;
  patientResourceId: string;
  doctorId: string;
  treatmentId: string;
  startsAt: string;
  endsAt: string;
  localDate: string;
  /** One for each need of the treatment, in the order of the needs; a PENDING_RESCHEDULE visit keeps what it had. */
  equipment: { equipmentId: string; needPosition: number }[];
  /** Kept where it is by any plan. */
  pinned: boolean;
  /** The placement version that the patient was last told of; null: not told yet. */
  toldPlacementVersion: string | null;
  /** Staff accepted a named clash for one of its claims: it stands outside of the counts. */
  overridden: boolean;
};

/** What a plan costs. One row a clinic, else the built-in ones; whole numbers, so that costs are exact. */
export type WeightsFact = {
  unassigned: number;
  /** Start or day changed, and the patient had been told of the old time. */
  movedTold: number;
  movedUntold: number;
  doctorChanged: number;
  perDayMoved: number;
  /** For each started quarter of an hour. */
  perQuarterMoved: number;
  /** A visit with a wish: other than the preferred doctor, per day off the wished day, outside of the wished window. No booking brings a wish yet. */
  otherDoctor: number;
  perDayOff: number;
  outsideWindow: number;
  /** For each pair of visits of one doctor on one day. */
  loadPair: number;
  /** For each five idle minutes between a doctor's first and last visit of a day. Stored, and charged by no engine yet: the minutes are only shown. */
  gapPerFiveMinutes: number;
};

export type PlanningSnapshot = {
  range: PlanningRange;
  /** With the claims of every active doctor, of all equipment and of the patients below; `facts.clinic.factVersion` is the planning scope's counter. */
  facts: ClinicFacts;
  /** By id. */
  visits: VisitFact[];
  weights: WeightsFact;
};

/** clinic: zone, grid, limits, holidays, weights · doctors: hours, absences, limits · equipment: quantity, outages, needs · closures and breaks · slots: weekly hours, treatments. */
export const factGroups = ["clinic", "doctors", "equipment", "closures", "slots"] as const;
export type FactGroup = (typeof factGroups)[number];

/** Hex SHA-256 of the facts, all together and by group. Two snapshots of one version differ in nothing that decides a place. */
export type PlanningFactVersion = { version: string; groups: Record<FactGroup, string> };
