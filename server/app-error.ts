/**
 * Every code that a person or a program can meet, with what to do about it. docs/http-api.md lists the same; a test keeps both complete.
 * `stored`: a deterministic refusal decided inside the command's transaction; it is kept under the key and replayed.
 */
export type Problem = { status: number; title: string; whatToDo: string; retryable: boolean; stored?: boolean };

const define = <C extends string>(map: Record<C, Problem>): Record<C, Problem> => map;

export const problems = define({
  "request-invalid": {
    status: 400,
    title: "The request is not valid.",
    whatToDo: "Correct the fields named in `errors` and send it again.",
    retryable: false,
  },
  "json-invalid": {
    status: 400,
    title: "The body is not JSON that can be read in one way.",
    whatToDo: "Send JSON without repeated fields, numbers beyond 2^53 or broken characters.",
    retryable: false,
  },
  "idempotency-key-required": {
    status: 400,
    title: "This call needs an Idempotency-Key.",
    whatToDo: "Make a random key for the command, keep it, and send it with every try.",
    retryable: false,
  },
  "idempotency-key-invalid": {
    status: 400,
    title: "The Idempotency-Key is not valid.",
    whatToDo: "Send one header of 16 to 255 printable ASCII characters without a comma.",
    retryable: false,
  },
  "signed-out": { status: 401, title: "You are not signed in.", whatToDo: "Sign in, or send a valid token.", retryable: false },
  "right-missing": {
    status: 403,
    title: "A right is missing.",
    whatToDo: "Ask an administrator for the right that is named.",
    retryable: false,
  },
  "origin-refused": {
    status: 403,
    title: "The request comes from another site.",
    whatToDo: "Send it from the application itself.",
    retryable: false,
  },
  "not-found": {
    status: 404,
    title: "There is nothing with this identity in your scope.",
    whatToDo: "Check the identity and the clinic.",
    retryable: false,
  },
  "method-not-allowed": {
    status: 405,
    title: "This address does not know that method.",
    whatToDo: "See /api/openapi.json.",
    retryable: false,
  },
  "request-timeout": {
    status: 408,
    title: "The body did not arrive in time.",
    whatToDo: "Send the same request with the same key again.",
    retryable: true,
  },
  "idempotency-key-reused": {
    status: 409,
    title: "The key was used for another command.",
    whatToDo: "Send the first request unchanged, or make a new key for a new command.",
    retryable: false,
  },
  "idempotency-in-progress": {
    status: 409,
    title: "The first call under this key is still running.",
    whatToDo: "Wait for Retry-After and send the same request with the same key.",
    retryable: true,
  },
  contention: {
    status: 409,
    title: "Too many commands met on the same rows.",
    whatToDo: "Wait for Retry-After and send the same request with the same key.",
    retryable: true,
  },
  "slot-taken": {
    status: 409,
    title: "The time is taken.",
    whatToDo: "Read the free times again and choose another, with a new key.",
    retryable: false,
    stored: true,
  },
  "not-available": {
    status: 409,
    title: "The time cannot be booked.",
    whatToDo: "See `blockers`, read the free times again and choose another, with a new key.",
    retryable: false,
    stored: true,
  },
  "move-not-allowed": {
    status: 409,
    title: "The appointment cannot do that in its present state.",
    whatToDo: "Read the appointment again and choose what its state allows.",
    retryable: false,
    stored: true,
  },
  "row-stale": {
    status: 409,
    title: "The row has changed since you read it.",
    whatToDo: "Read it again and decide anew, with a new key.",
    retryable: false,
    stored: true,
  },
  "action-not-allowed": {
    status: 409,
    title: "The row does not allow that now.",
    whatToDo: "See `why`; read the row again and choose what it allows.",
    retryable: false,
    stored: true,
  },
  "fact-over": {
    status: 409,
    title: "That time is over.",
    whatToDo: "Read the facts again; what is over is neither changed nor ended.",
    retryable: false,
    stored: true,
  },
  "patient-likely-duplicate": {
    status: 409,
    title: "This looks like a person who is known already.",
    whatToDo: "Use one of `duplicates`, or send them as `acknowledged` with a new key.",
    retryable: false,
    stored: true,
  },
  "replay-refused": {
    status: 409,
    title: "The replay is not allowed.",
    whatToDo: "See `failed`: mend what it names, or keep the records as they are. `refusal` is its number.",
    retryable: false,
  },
  "replay-already-open": {
    status: 409,
    title: "An open replay holds these records already.",
    whatToDo: "Follow the request that `requestId` names.",
    retryable: false,
  },
  "planning-running": {
    status: 409,
    title: "A plan for these dates is being calculated already.",
    whatToDo: "Follow the run that `runId` names; ask again when it has ended, with a new key.",
    retryable: false,
    stored: true,
  },
  "version-stale": {
    status: 412,
    title: "It has changed since you read it.",
    whatToDo: "Read it again and decide anew, with a new key.",
    retryable: false,
    stored: true,
  },
  "body-too-large": { status: 413, title: "The body is larger than 64 KiB.", whatToDo: "Send less.", retryable: false },
  "media-type-unsupported": {
    status: 415,
    title: "The body is not application/json.",
    whatToDo: "Send application/json in UTF-8.",
    retryable: false,
  },
  "subject-invalid": {
    status: 422,
    title: "Something that the command names cannot be used.",
    whatToDo: "See `detail`, correct it and send a new key.",
    retryable: false,
    stored: true,
  },
  "fact-invalid": {
    status: 422,
    title: "A fact of a clinic cannot be like that.",
    whatToDo: "See `why` and `detail`, correct it and send a new key.",
    retryable: false,
    stored: true,
  },
  "replay-over-bounds": {
    status: 422,
    title: "The replay covers more than one replay may.",
    whatToDo: "Split it: `fits` says how many records the next one can take.",
    retryable: false,
  },
  "start-ambiguous": {
    status: 422,
    title: "The clinic's clock shows that time twice.",
    whatToDo: "Send one of `choices`, which carry their offset, with a new key.",
    retryable: false,
    stored: true,
  },
  "start-nonexistent": {
    status: 422,
    title: "The clinic's clock never shows that time.",
    whatToDo: "Choose a time that exists, with a new key.",
    retryable: false,
    stored: true,
  },
  "version-required": {
    status: 428,
    title: "This call needs If-Match.",
    whatToDo: "Read what you change and send its ETag as If-Match.",
    retryable: false,
  },
  "rate-limited": { status: 429, title: "Too many requests.", whatToDo: "Wait for Retry-After.", retryable: true },
  "idempotency-overloaded": {
    status: 429,
    title: "Too many calls wait under this key.",
    whatToDo: "Wait for Retry-After and send the same request with the same key.",
    retryable: true,
  },
  "internal-error": {
    status: 500,
    title: "Something went wrong on our side.",
    whatToDo: "Send the same request with the same key again; tell us the requestId if it stays.",
    retryable: true,
  },
  "fingerprint-unreadable": {
    status: 503,
    title: "The key was stored by a process that this one cannot read.",
    whatToDo: "Wait for Retry-After and send the same request with the same key; tell us if it stays.",
    retryable: true,
  },
  "outcome-unknown": {
    status: 503,
    title: "The answer of the database was lost.",
    whatToDo: "Send the same request with the same key: it cannot happen twice.",
    retryable: true,
  },
  "event-log-unavailable": {
    status: 503,
    title: "The event log did not answer.",
    whatToDo: "Nothing was changed. Wait for Retry-After and ask again.",
    retryable: true,
  },
  "database-unavailable": {
    status: 503,
    title: "The database did not answer.",
    whatToDo: "Wait for Retry-After and send the same request with the same key.",
    retryable: true,
  },
});

export type ProblemCode = keyof typeof problems;

/** An end that becomes an error answer: a stable code, a sentence for people when there is one, and facts that are fit to show. */
export class AppError extends Error {
  /** Known by its name: a bundler may make two copies of this module, and what is kept for the whole process throws that of one to the other. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "AppError" && "code" in value;
  }
  readonly name = "AppError";
  readonly status: number;
  constructor(
    readonly code: ProblemCode,
    readonly detail?: string,
    readonly extra: Record<string, unknown> = {},
    readonly retryAfterSeconds?: number,
    status?: number,
  ) {
    super(`${code}${detail ? `: ${detail}` : ""}`);
    this.status = status ?? problems[code].status;
  }

  /** True when the refusal belongs under the key and is replayed. */
  get isStored(): boolean {
    return problems[this.code].stored === true;
  }
}

/** The members of RFC 9457, with the code and what to do. The same error gives the same bytes: a stored refusal is replayed as it was. */
export function problemBody(error: AppError, status = error.status): Record<string, unknown> {
  const { title, whatToDo, retryable } = problems[error.code];
  return {
    ...error.extra,
    type: `urn:problem:${error.code}`,
    code: error.code,
    title,
    status,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    whatToDo,
    retryable,
    ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
  };
}

/** Ends a `switch` over a union: a new member does not compile until it is handled. */
export function assertNever(value: never): never {
  throw new Error(`not handled: ${JSON.stringify(value)}`);
}
