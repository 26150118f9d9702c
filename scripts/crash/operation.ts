import type { Db } from "@/db/client";
import type { ClinicFixture } from "@/server/domain/clinics/testing";

/** What the parent hands to the process that is cut: plain data, ids only. */
export type Job = {
  operation: string;
  run: number;
  url: { web: string; worker: string };
  deadlineMs: number;
  data: Record<string, string>;
};

/** What that process saw. */
export type Report = {
  /** "answered …" with what the operation returned, or the code of the error it ended with. */
  outcome: string;
  answer?: Record<string, unknown>;
  hung: boolean;
  pairs: Record<string, string>;
  uncaught: string[];
  unhealthy: string[];
};

/** Clean connections of the parent, never cut. */
export type World = { fixture: ClinicFixture; web: Db; worker: Db; superuser: Db };
export type Handles = { web: Db; worker: Db };

/** One transactional operation of the product, as the sweep runs it again and again. */
export type Operation = {
  name: string;
  /** Its transactions run as the worker role. */
  usesWorker?: boolean;
  /** Rows that the operation will find; made over a clean connection. */
  prepare(world: World, run: number): Promise<Record<string, string>>;
  /** The operation itself, over the connection that is cut. Runs in a process of its own. */
  act(handles: Handles, data: Record<string, string>): Promise<Record<string, unknown>>;
  /** After the cut: what does not hold right now, given what the caller was told. */
  inspect(world: World, data: Record<string, string>, report: Report): Promise<string[]>;
  /** The same identity again until it has ended, over a clean connection; then what does not hold. */
  retry(world: World, data: Record<string, string>, report: Report): Promise<string[]>;
};
