import type { RunningPostgres } from "@/db/testing/embedded-postgres";
import type { Broker } from "@/scripts/lib/kafka-broker";
import type { Secrets } from "@/scripts/lib/secrets";
import type { BenchDatabase } from "./database";
import type { Row } from "./report";

/** What a suite is given. */
export type Context = {
  server: RunningPostgres;
  secrets: Secrets;
  /** 5, or what --rounds says */
  rounds: number;
  /** Scales amounts: 1, or 0.2 with --quick (a trial; its figures say nothing). */
  scale: number;
  /** A migrated database of its own, dropped when the suite ends. */
  freshDatabase: () => Promise<BenchDatabase>;
  /** A broker of its own, or why there is none. */
  broker: () => Promise<Broker | string>;
  log: (line: string) => void;
};

export type Suite = (context: Context) => Promise<Row[]>;

/** A whole number of things, never below `least`. */
export const scaled = (context: Context, amount: number, least = 10): number => Math.max(least, Math.round(amount * context.scale));
