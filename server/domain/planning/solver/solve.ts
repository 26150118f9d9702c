// biome-ignore-all lint/style/noNonNullAssertion: spots have one entry for each visit
import { Board } from "./board";
import { compile } from "./compile";
import { construct } from "./construct";
import { countingBound } from "./counting-bound";
import { describeSolution } from "./describe-solution";
import { Exact } from "./exact";
import { KernelChoice, kernelOfPlaces } from "./kernel";
import { LagrangianBound } from "./lagrangian-bound";
import { LocalSearch } from "./local-search";
import type { Model } from "./model";
import { planOf } from "./plan";
import { Random } from "./random";
import { ReducedCosts } from "./reduced-costs";
import { type Region, regionsOf } from "./regions";
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
/** With so many the bound has come to rest on clinics of 200 to 500 visits. */
const firstBoundRounds = 700;
/** A kernel so small is solved at once; a larger one when the search has come to rest, which makes it smaller. */
const quickKernel = 3000;
/** The larger the kernel, the more a better plan saves HiGHS: so many rounds without one for each of its columns. */
const restRoundsPerColumn = 8;
/** Simplex iterations of the count of those who stay out, a model of a few thousand columns that takes a thousand. */
const countIterations = 20_000;
/** A part of a plan: no more places, and no more work. */
const [regionPlaces, regionIterations] = [8000, 5000];

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
  private lagrangian: LagrangianBound;
  private readonly now: () => number;
  private readonly began: number;
  private readonly phases = new Map<SolvePhase, Solution["phases"][number]>();
  private phase: SolvePhase = "construct";
  private phaseBegan: number;
  private bound: number;
  private unassignedBound: number;
  private provenBy: Solution["provenBy"] = null;
  private cut: "TIME" | "CANCELLED" | undefined;
  private readonly exact: Exact;
  private readonly regions: Region[];
  private triedKernel = Number.POSITIVE_INFINITY;
  private roundsAtRest = 0;
  private hasCounted = false;
  /** What the plan cost after a region was solved. */
  private readonly triedAt = new Map<Region, number>();

  constructor(
    private readonly problem: Problem,
    private readonly options: SolveOptions,
    private readonly hooks: SolveHooks,
  ) {
    this.now = hooks.now ?? (() => performance.now());
    this.began = this.now();
    this.phaseBegan = this.began;
    this.model = compile(problem);
    this.board = new Board(this.model);
    construct(this.board, this.shouldStop);
    this.search = new LocalSearch(this.board, new Random(options.seed));
    this.lagrangian = new LagrangianBound(this.model);
    this.exact = new Exact(problem, this.model, this.search, options.effort.lpIterations, {
      shouldStop: this.shouldStop,
      onBetter: () => this.report(),
    });
    this.regions = regionsOf(this.model);
    const counted = countingBound(this.model);
    this.bound = counted.total;
    this.unassignedBound = counted.unassigned;
    this.settle("COUNTING");
    this.report();
  }

  async run(): Promise<void> {
    const { effort } = this.options;
    while (!this.provenBy && !this.shouldStop() && this.search.rounds < effort.searchRounds) {
      const before = this.search.cost;
      const rounds = this.search.rounds;
      this.searchOn();
      if (this.isOver()) break;
      if (this.countUnassigned() > this.unassignedBound) await this.countOut();
      this.improveBound();
      if (this.isOver()) break;
      this.roundsAtRest = this.search.cost < before ? 0 : this.roundsAtRest + this.search.rounds - rounds;
      await this.proveOrPolish();
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

  /** Once: how many stay out of any plan, which makes bounds out of guesses, and a plan that leaves no more out when the search has not found one. */
  private async countOut(): Promise<void> {
    if (this.hasCounted || !(await this.exact.isReady())) return;
    this.hasCounted = true;
    this.enter("bound");
    const { least, places } = this.exact.countOut(countIterations);
    if (least > this.unassignedBound) {
      this.unassignedBound = least;
      this.lagrangian = new LagrangianBound(this.model, least);
    }
    if (!this.cut && this.countUnassigned() > least)
      this.exact.solve(kernelOfPlaces(this.model, this.search.spots, places), countIterations);
    this.report();
  }

  private improveBound(): void {
    const { lagrangian, shouldStop } = this;
    this.enter("bound");
    this.report();
    const rounds = Math.min(lagrangian.rounds === 0 ? firstBoundRounds : 100, this.options.effort.boundRounds - lagrangian.rounds);
    if (rounds <= 0) return;
    lagrangian.improve({ rounds, cost: this.search.cost, shouldStop });
    this.raise(lagrangian.bound);
    this.settle("LAGRANGIAN");
    this.report();
  }

  private async proveOrPolish(): Promise<void> {
    const { effort } = this.options;
    const reduced = new ReducedCosts(this.model, this.lagrangian, this.search.cost);
    const choice = new KernelChoice(this.model, reduced);
    const isSmall = choice.count <= Math.min(effort.kernelColumnsMax, this.triedKernel / 2);
    // where somebody may stay out for want of search, HiGHS closes in seconds what the search misses
    const isCrowded = this.countUnassigned() > this.unassignedBound;
    const patience = isSmall && choice.count > quickKernel ? choice.count * restRoundsPerColumn : 3 * chunkRounds;
    const isAtRest = this.search.rounds >= effort.searchRounds || this.roundsAtRest >= (isCrowded ? chunkRounds : patience);
    if ((isSmall ? choice.count > quickKernel && !isAtRest : !isAtRest) || !(await this.exact.isReady())) return;
    if (isSmall) {
      this.triedKernel = choice.count;
      this.enter("prove");
      this.report(); // HiGHS may be silent for long: whoever watches knows of it, and of the plan that it begins with
      const isOptimal = this.exact.solve(choice.all(this.search.spots), Number.POSITIVE_INFINITY, (bound) => this.raise(bound));
      if (isOptimal) this.raise(this.search.cost);
      this.settle("HIGHS");
    } else if (this.problem.visits.some(({ known }) => known)) this.polish(choice); // of fresh requests it improves nothing
    this.report();
  }

  /** The next part of the plan that was not solved as it is now. */
  private polish(choice: KernelChoice): void {
    this.enter("polish");
    this.report();
    const region = this.regions.find((one) => this.triedAt.get(one) !== this.search.cost);
    if (!region) return;
    this.regions.push(...this.regions.splice(this.regions.indexOf(region), 1));
    const kernel = choice.ofRegion(this.search.spots, region, Math.min(regionPlaces, this.options.effort.kernelColumnsMax));
    if (kernel.visits.length > 0) this.exact.solve(kernel, regionIterations);
    this.triedAt.set(region, this.search.cost);
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
      highs: this.exact.version,
      phases: [...this.phases.values()].map((phase) => ({ ...phase, ms: Math.round(phase.ms) })),
    });
  }
}
