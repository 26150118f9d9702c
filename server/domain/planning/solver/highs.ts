import type { Highs } from "highs";
import type { Matrix } from "./matrix";

export type HighsRun = {
  matrix: Matrix;
  /** A plan to begin with, as values of the columns. */
  begin: Float64Array;
  lpIterations: number;
  shouldStop: () => boolean;
  onPlan: (values: ArrayLike<number>) => void;
  onBound: (bound: number) => void;
};
export type HighsEnd = { isOptimal: boolean; lpIterations: number };

let loading: Promise<Highs | undefined> | undefined;

/** One instance a thread; undefined where it cannot be loaded, and then plans come without this proof. */
export function loadHighs(): Promise<Highs | undefined> {
  loading ??= import("highs").then(({ default: load }) => load()).catch(() => undefined);
  return loading;
}

/**
 * Solves the model to proven optimality or until its work is used up. Costs are whole numbers, so a plan within 0.99 of the bound is optimal. Seed and
 * options stay at their defaults: odd ones have given wrong results. Blocks the thread, and is silent for seconds at times.
 */
export function runHighs(highs: Highs, { matrix, begin, lpIterations, shouldStop, onPlan, onBound }: HighsRun): HighsEnd {
  const finite = (values: number[]) =>
    Float64Array.from(values, (value) => (Number.isFinite(value) ? value : Math.sign(value) * highs.infinity));
  const [numCols, numRows] = [matrix.cost.length, matrix.rowUpper.length];
  const model = highs.createModel({
    numCols,
    numRows,
    colCost: Float64Array.from(matrix.cost),
    colLower: new Float64Array(numCols),
    colUpper: Float64Array.from(matrix.upper),
    rowLower: finite(matrix.rowLower),
    rowUpper: finite(matrix.rowUpper),
    matrix: {
      format: "csc",
      numRows,
      numCols,
      starts: Int32Array.from(matrix.starts),
      indices: Int32Array.from(matrix.rows),
      values: Float64Array.from(matrix.values),
    },
    integrality: Int32Array.from(matrix.isWhole),
  });
  let used = 0;
  const { mipImprovingSolution, mipLogging, mipInterrupt, simplexInterrupt } = highs.constants.callbackType;
  const look = ({
    mip_dual_bound: bound,
    mip_total_lp_iterations: iterations,
  }: {
    mip_dual_bound?: number;
    mip_total_lp_iterations?: bigint;
  }) => {
    if (iterations !== undefined) used = Number(iterations);
    if (bound !== undefined && Math.abs(bound) < 1e15) onBound(Math.ceil(bound - 1e-6));
  };
  try {
    model.options.set({ output_flag: false, mip_rel_gap: 0, mip_abs_gap: 0.99, random_seed: 0 });
    model.setSolution({ colValue: begin });
    model.run({
      [mipImprovingSolution]: ({ data }) => {
        if (data.mip_solution) onPlan(data.mip_solution);
        return undefined;
      },
      [mipLogging]: ({ data }) => {
        look(data);
        return undefined;
      },
      [mipInterrupt]: (event) => {
        look(event.data);
        if (shouldStop() || used > lpIterations) event.interrupt();
        return undefined;
      },
      [simplexInterrupt]: (event) => {
        if (shouldStop()) event.interrupt();
        return undefined;
      },
    });
    const isOptimal = model.getModelStatus() === highs.constants.modelStatus.optimal;
    if (isOptimal) onPlan(model.getSolution().colValue);
    return { isOptimal, lpIterations: used };
  } finally {
    model.dispose(); // its memory is not collected
  }
}
