// What the engines work on: no clinic, no clock, no database. Times are whole minutes that passed since the problem's origin, so a day on which the clocks
// change is as long as it is; only what a person reads off the clock (`clock`, `day`) decides costs of moving. Costs are whole numbers.

/** Minutes that passed since the origin. */
export type Minutes = number;
/** Half open. */
export type Span = { from: Minutes; until: Minutes };

/** A time at which visits may begin. `day`: index of its date from the first of the range; `clock`: minutes since midnight as the clinic's clock shows. */
export type Start = { at: Minutes; day: number; clock: Minutes };

/** What is held and not ours to move; on a doctor with the limit that the claim carries. */
export type TakenByDoctor = Span & { limit: number };
export type ProblemDoctor = {
  id: string;
  taken: TakenByDoctor[];
  /** Visits of the day that are not ours to move, by day index: they count for the load. */
  visitsByDay: number[];
};
export type ProblemEquipment = { id: string; units: number; out: (Span & { units: number })[]; taken: Span[] };

/** A device in use from `offset` after the visit's start. */
export type Use = { equipment: number; offset: Minutes; minutes: Minutes };
export type ProblemTreatment = {
  id: string;
  minutes: Minutes;
  /** Widen the doctor's claim only. */
  before: Minutes;
  after: Minutes;
  /** The limit that a claim carries, by doctor index. */
  limits: number[];
  /** Each is one choice of devices for all needs together; one empty choice when nothing is needed, none at all when a need cannot be met. */
  options: Use[][];
  /** Indexes into `starts`, ascending, by doctor index: everything that no other visit of the problem decides is checked already. */
  starts: number[][];
};

/** Where a visit is, or was when its patient last heard of it: moves are counted from here. Its day may lie outside of the range. */
export type KnownPlace = { doctor: number; at: Minutes; day: number; clock: Minutes };
/** What a visit without a place was asked for; null: no wish. */
export type Wish = { doctor: number | null; day: number | null; window: { from: Minutes; until: Minutes } | null };

/** A visit that the plan may place; all others are `taken`. */
export type ProblemVisit = {
  id: string;
  treatment: number;
  /** Index into `patients`. */
  patient: number;
  told: boolean;
  /** Times the cost of leaving it without a place. */
  priority: number;
  known: KnownPlace | null;
  /** Its place now, when it may stay there: legal but for the grid, which may have changed. Otherwise the place must be among the starts. */
  stay: Place | null;
  wish: Wish | null;
};

export type Weights = {
  unassigned: number;
  movedTold: number;
  movedUntold: number;
  doctorChanged: number;
  perDayMoved: number;
  perQuarterMoved: number;
  otherDoctor: number;
  perDayOff: number;
  outsideWindow: number;
  loadPair: number;
  gapPerFiveMinutes: number;
};

export type Problem = {
  days: number;
  /** By time. */
  starts: Start[];
  doctors: ProblemDoctor[];
  equipment: ProblemEquipment[];
  treatments: ProblemTreatment[];
  /** A person is in one place at a time. */
  patients: { taken: Span[] }[];
  clinic: { limit: number | null; taken: Span[] };
  visits: ProblemVisit[];
  weights: Weights;
  /** Visits that were not to be moved and break a rule where they are: reported, never repaired. */
  pinnedViolations: string[];
};

/** `start`: index into the problem's starts; `option`: index into the treatment's options. */
export type Place = { doctor: number; start: number; option: number };
/** By position in `visits`; null: left without a place. */
export type Plan = (Place | null)[];

/** What a plan costs, level by level; each in its own unit. */
export type Levels = {
  unassigned: number;
  toldMoved: number;
  untoldMoved: number;
  doctorChanged: number;
  daysMoved: number;
  quartersMoved: number;
  wishesMissed: number;
  loadPairs: number;
  idleMinutes: number;
};

export type Effort = {
  /** Rounds of the local search. Work decides when a solve ends; the clock only guards. */
  searchRounds: number;
  boundRounds: number;
  /** Simplex iterations of HiGHS, all models together. */
  lpIterations: number;
  /** More columns are not given to HiGHS at once. */
  kernelColumnsMax: number;
};
export type SolveOptions = { seed: number; effort: Effort; timeLimitMs: number };

export type SolvePhase = "construct" | "search" | "bound" | "prove" | "polish";
export type SolveProgress = { phase: SolvePhase; elapsedMs: number; rounds: number; cost: number; bound: number; unassigned: number };

export type Solution = {
  plan: Plan;
  cost: number;
  levels: Levels;
  /** No plan costs less. */
  bound: number;
  /** The least number of visits that any plan leaves without a place. */
  unassignedBound: number;
  gap: number;
  proven: boolean;
  provenBy: "COUNTING" | "LAGRANGIAN" | "HIGHS" | null;
  /** Every visit has a place. */
  feasible: boolean;
  /** Ids, with the reason: no start at all, or none left. */
  unassigned: { id: string; why: "NO_PLACE" | "NO_ROOM" }[];
  pinnedViolations: string[];
  /** The same problem, options and engine give the same plan again; false when a clock or a cancel ended the solve. */
  reproducible: boolean;
  endedBy: "PROVEN" | "EFFORT" | "TIME" | "CANCELLED";
  engine: { solver: string; highs: string | null };
  phases: { name: SolvePhase; ms: number; cost: number; bound: number }[];
};
