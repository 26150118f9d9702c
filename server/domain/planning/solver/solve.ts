// biome-ignore-all lint/style/noNonNullAssertion: spots have one entry for each visit
import { Board } from "./board";
import { checkPlan } from "./check-plan";
import { compile } from "./compile";
import { construct } from "./construct";
import { countingBound } from "./counting-bound";
import { describeSolution } from "./describe-solution";
import { loadHighs, runHighs } from "./highs";
import { KernelChoice } from "./kernel";
import { buildKernelMip, type Kernel } from "./kernel-mip";
import { LagrangianBound } from "./lagrangian-bound";
import { LocalSearch } from "./local-search";
import type { Model } from "./model";
import { placingBound } from "./placing-bound";
import { planOf } from "./plan";
import { Random } from "./random";
import { ReducedCosts } from "./reduced-costs";
import type { Plan, Problem, Solution, SolveOptions, SolvePhase, SolveProgress } from "./types";

export type SolveHooks = {
  /** Called at each better plan, thousands of times in the first second: the plan is put together only when asked for. */
  onProgress?: (progress: SolveProgress, plan: () => Plan) => void;
  isCancelled?: () => boolean;
  /** Milliseconds since any moment: tells when the time is up, and decides nothing else. */
  now?: () => number;
};

/** Rounds of search between two looks at the bound. */
const chunkRounds = 20_000;
const firstBoundRounds = 1500;
/** A kernel so small is solved at once; a larger one when the search has come to rest, which makes it smaller. */
const quickKernel = 3000;
const restChunks = 3;
const dayKernelMax = 15_000;

/**
 * Search for a good plan, a bound for how good a plan can be, and a proof when what lies between them is small enough; in turn until the plan is proven
 * or the effort is used up. There is a legal plan from the first moment on.
 * @throws Error when the checker finds fault with the plan: nobody gets to see it
 */
export async function solve(problem: Problem, options: SolveOptions, hooks: SolveHooks = {}): Promise<Solution> {
  const run = new SolveRun(problem, options, hooks);
  await run.run();
  return run.solution();
}

class SolveRun {
  private readonly model: Model;
  private readonly board: Board;
  private readonly search: LocalSearch;
  private readonly lagrangian: LagrangianBound;
  private readonly now: () => number;
  private readonly began: number;
  private readonly phases = new Map<SolvePhase, Solution["phases"][number]>();
  private phase: SolvePhase = "construct";
  private phaseBegan: number;
  private bound: number;
  private unassignedBound: number;
  private provenBy: Solution["provenBy"] = null;
  private cut: "TIME" | "CANCELLED" | undefined;
  private lpLeft: number;
  private highsVersion: string | null = null;
  private triedKernel = Number.POSITIVE_INFINITY;

  constructor(
    private readonly problem: Problem,
    private readonly options: SolveOptions,
    private readonly hooks: SolveHooks,
  ) {
    this.now = hooks.now ?? (() => performance.now());
    this.began = this.now();
    this.phaseBegan = this.began;
    this.lpLeft = options.effort.lpIterations;
    this.model = compile(problem);
    this.board = new Board(this.model);
    construct(this.board, this.shouldStop);
    this.search = new LocalSearch(this.board, new Random(options.seed));
    this.lagrangian = new LagrangianBound(this.model);
    const counted = countingBound(this.model);
    this.bound = counted.total;
    this.unassignedBound = counted.unassigned;
    this.settle("COUNTING");
    this.report();
  }

  async run(): Promise<void> {
    const { effort } = this.options;
    let chunksAtRest = 0;
    while (!this.provenBy && !this.shouldStop() && this.search.rounds < effort.searchRounds) {
      const before = this.search.cost;
      this.searchOn();
      if (this.isOver()) break;
      this.improveBound();
      if (this.isOver()) break;
      chunksAtRest = this.search.cost < before ? 0 : chunksAtRest + 1;
      // where somebody may stay out for want of search, HiGHS closes in seconds what the search misses
      const isCrowded = this.countUnassigned() > this.unassignedBound;
      await this.proveOrPolish(chunksAtRest >= (isCrowded ? 1 : restChunks));
    }
    this.enter("search");
  }

  private isOver(): boolean {
    return this.provenBy !== null || this.cut !== undefined;
  }

  private searchOn(): void {
    this.enter("search");
    const rounds = Math.min(chunkRounds, this.options.effort.searchRounds - this.search.rounds);
    this.search.run({ rounds, bound: this.bound, shouldStop: this.shouldStop, onBetter: () => this.report() });
    this.settle("COUNTING");
  }

  private improveBound(): void {
    const { lagrangian } = this;
    const { shouldStop } = this;
    this.enter("bound");
    this.report();
    const rounds = Math.min(lagrangian.rounds === 0 ? firstBoundRounds : 100, this.options.effort.boundRounds - lagrangian.rounds);
    if (rounds <= 0) return;
    const unassigned = this.countUnassigned();
    const isFirst = lagrangian.rounds === 0;
    lagrangian.improve({ rounds, cost: this.search.cost, shouldStop, patience: unassigned > 0 ? 100 : 30 });
    this.raise(lagrangian.bound);
    if (isFirst && unassigned > this.unassignedBound && !this.isOver())
      this.unassignedBound = Math.max(this.unassignedBound, placingBound(this.model, lagrangian, { unassigned, rounds: 500, shouldStop }));
    this.settle("LAGRANGIAN");
    this.report();
  }

  private async proveOrPolish(isAtRest: boolean): Promise<void> {
    const { effort } = this.options;
    if (this.lpLeft <= 0) return;
    const reduced = new ReducedCosts(this.model, this.lagrangian, this.search.cost);
    const choice = new KernelChoice(this.model, reduced);
    const isSmall = choice.count <= effort.kernelColumnsMax;
    if (isSmall ? choice.count > quickKernel && !isAtRest : !isAtRest) return;
    if (isSmall && choice.count > this.triedKernel / 2) return;
    const highs = await loadHighs();
    if (!highs || this.shouldStop()) return; // its model takes a moment to lay out
    this.highsVersion = highs.version.string;
    if (isSmall) {
      this.triedKernel = choice.count;
      this.enter("prove");
      this.report(); // HiGHS may be silent for long: whoever watches knows of it, and of the plan that it begins with
      const isOptimal = this.solveKernel(highs, choice.all(this.search.spots), this.lpLeft, true);
      if (isOptimal) this.raise(this.search.cost);
      this.settle("HIGHS");
    } else if (this.problem.visits.some(({ known }) => known)) this.polishDays(highs, choice); // of fresh requests it improves nothing
    this.report();
  }

  private polishDays(highs: NonNullable<Awaited<ReturnType<typeof loadHighs>>>, choice: KernelChoice): void {
    this.enter("polish");
    this.report();
    for (let day = 0; day < this.model.days && !this.shouldStop() && this.lpLeft > 0; day += 1) {
      const kernel = choice.ofDay(this.search.spots, day, Math.min(dayKernelMax, this.options.effort.kernelColumnsMax));
      if (kernel.visits.length > 0) this.solveKernel(highs, kernel, Math.min(this.lpLeft, this.options.effort.lpIterations / 10), false);
    }
  }

  /** A better plan that HiGHS finds is taken over only when the checker agrees. @returns whether the kernel was solved to the end */
  private solveKernel(
    highs: NonNullable<Awaited<ReturnType<typeof loadHighs>>>,
    kernel: Kernel,
    lpIterations: number,
    isWhole: boolean,
  ): boolean {
    const { model, search } = this;
    const mip = buildKernelMip(model, search.spots, kernel);
    const begin = mip.encode(search.spots);
    // what the kernel does not count: visits that it does not move, and pairs that are there whatever it does
    const rest = search.cost - begin.reduce((sum, value, column) => sum + value * mip.matrix.cost[column]!, 0);
    let bestOfKernel = search.cost;
    const { isOptimal, lpIterations: used } = runHighs(highs, {
      matrix: mip.matrix,
      begin,
      lpIterations,
      shouldStop: this.shouldStop,
      onPlan: (values) => {
        const spots = mip.decode(values);
        const { faults, cost } = checkPlan(this.problem, planOf(model, spots));
        bestOfKernel = Math.min(bestOfKernel, cost);
        if (faults.length > 0 || cost >= search.cost) return;
        search.adopt(spots);
        this.report();
      },
      onBound: (bound) => {
        if (isWhole) this.raise(bound + rest);
      },
    });
    this.lpLeft -= Math.max(1, used);
    return isOptimal && bestOfKernel === search.cost;
  }

  /** A bound above a checked plan would be a mistake of the bound, so it is never taken further. */
  private raise(bound: number): void {
    this.bound = Math.max(this.bound, Math.min(bound, this.search.cost));
  }

  private settle(by: NonNullable<Solution["provenBy"]>): void {
    if (this.search.cost <= this.bound) this.provenBy ??= by;
  }

  private readonly shouldStop = (): boolean => {
    if (this.hooks.isCancelled?.()) this.cut = "CANCELLED";
    else if (this.now() - this.began >= this.options.timeLimitMs) this.cut ??= "TIME";
    return this.cut !== undefined;
  };

  private countUnassigned(): number {
    return this.search.spots.start.reduce((count, start) => count + Number(start < 0), 0);
  }

  private enter(phase: SolvePhase): void {
    const now = this.now();
    const ms = (this.phases.get(this.phase)?.ms ?? 0) + now - this.phaseBegan;
    this.phases.set(this.phase, { name: this.phase, ms, cost: this.search.cost, bound: this.bound });
    this.phase = phase;
    this.phaseBegan = now;
  }

  private report(): void {
    const { search, bound, phase } = this;
    const elapsedMs = this.now() - this.began;
    const progress = { phase, elapsedMs, rounds: search.rounds, cost: search.cost, bound, unassigned: this.countUnassigned() };
    this.hooks.onProgress?.(progress, () => planOf(this.model, search.spots));
  }

  solution(): Solution {
    const { search, bound, provenBy, cut } = this;
    return describeSolution(this.problem, planOf(this.model, search.spots), {
      bound,
      unassignedBound: this.unassignedBound,
      provenBy,
      endedBy: provenBy ? "PROVEN" : (cut ?? "EFFORT"),
      reproducible: cut === undefined,
      highs: this.highsVersion,
      phases: [...this.phases.values()].map((phase) => ({ ...phase, ms: Math.round(phase.ms) })),
    });
  }
}
