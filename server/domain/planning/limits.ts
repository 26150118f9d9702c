/** Bounds of what may be asked for and of what is tried again; screens show them. */
export const planningLimits = {
  /** Dates of one run, both ends counted. */
  daysMax: 62,
  visitsChosenMax: 1_000,
  /** Claims by solvers that died, after which the run is given up. */
  calculationsMax: 5,
  /** Applies by the planning worker, after which STAFF decide. */
  workerAttemptsMax: 5,
  /** Rows of an attempt that are named; all are counted. */
  behindMax: 50,
} as const;
