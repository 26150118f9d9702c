// biome-ignore-all lint/style/noNonNullAssertion: columns come from the model
import { checkPlan } from "./check-plan";
import { buildGroupMip } from "./group-mip";
import { loadHighs, runHighs } from "./highs";
import { buildKernelMip, type Kernel } from "./kernel-mip";
import type { LocalSearch } from "./local-search";
import type { Model } from "./model";
import { planOf } from "./plan";
import type { KindPlace } from "./room-rows";
import type { Problem } from "./types";

export type ExactHooks = { shouldStop: () => boolean; onBetter: () => void };

/** HiGHS on parts of a problem, within the simplex iterations that all of them together may use. */
export class Exact {
  version: string | null = null;
  private highs: Awaited<ReturnType<typeof loadHighs>>;

  constructor(
    private readonly problem: Problem,
    private readonly model: Model,
    private readonly search: LocalSearch,
    private left: number,
    private readonly hooks: ExactHooks,
  ) {}

  /** Whether HiGHS is there and may begin: not after a cancel, since its model takes a moment to lay out. */
  async isReady(): Promise<boolean> {
    if (this.left <= 0) return false;
    this.highs ??= await loadHighs();
    this.version = this.highs?.version.string ?? null;
    return this.highs !== undefined && !this.hooks.shouldStop();
  }

  /**
   * A better plan that HiGHS finds is taken over only when the checker agrees.
   * @returns whether the kernel was solved to the end, and the plan is the best of it
   */
  solve(kernel: Kernel, lpIterations: number, onBound?: (bound: number) => void): boolean {
    const { model, search } = this;
    const mip = buildKernelMip(model, search.spots, kernel);
    const begin = mip.encode(search.spots);
    // what the kernel does not count: visits that it does not move, and pairs that are there whatever it does
    const rest = search.cost - begin.reduce((sum, value, column) => sum + value * mip.matrix.cost[column]!, 0);
    let bestOfKernel = search.cost;
    const { isOptimal, lpIterations: used } = runHighs(this.highs!, {
      matrix: mip.matrix,
      begin,
      lpIterations: Math.min(this.left, lpIterations),
      shouldStop: this.hooks.shouldStop,
      onPlan: (values) => {
        const spots = mip.decode(values);
        const { faults, cost } = checkPlan(this.problem, planOf(model, spots));
        bestOfKernel = Math.min(bestOfKernel, cost);
        if (faults.length > 0 || cost >= search.cost) return;
        search.adopt(spots);
        this.hooks.onBetter();
      },
      onBound: (bound) => onBound?.(bound + rest),
    });
    this.left -= Math.max(1, used);
    return isOptimal && bestOfKernel === search.cost;
  }

  /** @returns the fewest visits that any plan leaves without a place, as far as it could be told, and the places of a plan with few of them */
  countOut(lpIterations: number): { least: number; places: KindPlace[] } {
    const mip = buildGroupMip(this.model, this.search.spots);
    let [best, bound] = [Number.POSITIVE_INFINITY, 0];
    let places: KindPlace[] = [];
    const { isOptimal, lpIterations: used } = runHighs(this.highs!, {
      matrix: mip.matrix,
      begin: mip.encode(this.search.spots),
      lpIterations: Math.min(this.left, lpIterations),
      shouldStop: this.hooks.shouldStop,
      onPlan: (values) => {
        const value = mip.matrix.cost.reduce((sum, cost, column) => sum + cost * values[column]!, 0);
        if (value >= best - 0.5) return;
        best = value;
        places = mip.decode(values);
      },
      onBound: (value) => {
        bound = Math.max(bound, value);
      },
    });
    this.left -= Math.max(1, used);
    return { least: mip.leastOut(isOptimal ? best : bound), places };
  }
}
