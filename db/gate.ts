import { isConnectionLoss, TxError } from "./tx-error";

type Statement = Promise<unknown> & { executed: boolean; handle(): unknown; reject(error: unknown): void };

/**
 * Stands between a transaction's callback and the driver: OPEN → COMMITTING → OVER, or BROKEN from anywhere.
 *
 * postgres.js can run a statement of a transaction whose connection died on whatever connection sits in that slot now. So every statement passes
 * here first, and a statement that comes late, out of turn or after a connection loss is refused instead of sent.
 */
export class Gate {
  private state: "OPEN" | "COMMITTING" | "BROKEN" | "OVER" = "OPEN";
  private lost = false;
  private ended = false;
  private brokenBy: TxError | undefined;
  private readonly running = new Set<Statement>();
  private breakWith!: (error: TxError) => void;
  readonly broken = new Promise<never>((_, reject) => {
    this.breakWith = reject;
  });
  commitSent = false;
  /** The handle that may speak: the transaction's, or its open savepoint's. Otherwise a late statement of a refused savepoint would be committed. */
  turn: object | undefined = {};

  constructor() {
    this.broken.catch(() => {});
  }

  get isOpen() {
    return this.state === "OPEN";
  }

  /** Made when it is needed: a stack for each transaction would cost more than a statement. */
  private get reason() {
    return this.brokenBy ?? new TxError("LATE_STATEMENT", "this transaction is over; was a statement not awaited?");
  }

  assertOpen() {
    if (!this.isOpen) throw this.reason;
  }

  assertTurn(scope: object) {
    this.assertOpen();
    if (scope !== this.turn) throw new TxError("OUT_OF_TURN", "this savepoint is over, or one inside it is open");
  }

  /** Every way to run a postgres.js query (await, then, execute, cursor …) goes through its `handle`. */
  guard<Q>(made: Q, scope: object): Q {
    const query = made as Statement;
    if (typeof query.handle !== "function")
      throw new TxError("NO_TRANSACTION", "this version of the driver has no Query.handle: the gate cannot hold");
    const run = query.handle.bind(query);
    query.handle = () => {
      if (!query.executed) this.admit(query, scope);
      return run();
    };
    return made;
  }

  private admit(query: Statement, scope: object) {
    try {
      this.assertTurn(scope);
    } catch (refusal) {
      query.executed = true; // so that run() does nothing
      query.reject(refusal);
      return;
    }
    this.running.add(query);
    const done = () => this.running.delete(query);
    Promise.prototype.then.call(query, done, (error) => {
      done();
      if (isConnectionLoss(error)) this.lose(error);
    });
  }

  startCommit() {
    this.assertOpen();
    if (this.running.size > 0) throw new TxError("UNAWAITED_STATEMENT", `${this.running.size} still running when fn settled`);
    this.state = "COMMITTING";
    this.commitSent = true;
  }

  /** fn failed: what it left running elsewhere may not follow the ROLLBACK onto the wire. */
  close() {
    if (this.state === "OPEN") this.state = "OVER";
  }

  /** The caller gets `reason` now; statements still out fail with it, later ones are refused. */
  break(reason: TxError) {
    if (this.state === "OVER" || this.state === "BROKEN") return;
    this.state = "BROKEN";
    this.brokenBy = reason;
    this.breakWith(reason);
    for (const query of this.running) query.reject(reason);
  }

  private lose(error: unknown) {
    this.lost = true;
    this.break(new TxError("CONNECTION_LOST", "the connection of this transaction is gone", error));
  }

  /** begin() settled: by COMMIT, by ROLLBACK, or because the connection closed under the callback. */
  readonly end = () => {
    this.ended = true;
    if (this.state !== "BROKEN") this.state = "OVER";
    for (const query of this.running) query.reject(this.reason); // the driver leaves what it had queued pending for ever
  };

  /** When the callback settles, the driver sends COMMIT or ROLLBACK without looking whether the connection is still this transaction's. */
  settleUnlessLost<T>(work: Promise<T>): Promise<T> {
    const mayTell = () => !(this.lost || this.ended);
    return new Promise((resolve, reject) =>
      work.then(
        (value) => mayTell() && resolve(value),
        (error) => {
          if (isConnectionLoss(error)) this.lose(error); // the driver's own SAVEPOINT does not pass the gate
          if (mayTell()) reject(error);
        },
      ),
    );
  }
}
