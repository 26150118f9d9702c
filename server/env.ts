import { z } from "zod";
import { type DigestRing, parseDigestKeys } from "./canonical-hash";

const port = z.coerce.number().int().min(0).max(65_535);
const flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((value) => value === "true");
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/[^/]+\/[^/?]+/, "must look like postgres://user:password@host:port/database");
const secret = z
  .string()
  .min(32, "needs at least 32 characters")
  .refine((value) => new Set(value).size >= 10, "is too easy to guess: use random characters, e.g. openssl rand -base64 48");

/** DEMO_SIGN_INS: one entry a role; `says` is what the person may do. */
const demoSignIns = z.array(z.object({ email: z.string(), password: z.string(), says: z.string() }));

/** A text of JSON as the list that it holds; says what it has to be, never what it is. */
const signInList = z.string().transform((text, context): z.infer<typeof demoSignIns> => {
  try {
    return demoSignIns.parse(JSON.parse(text));
  } catch {
    context.addIssue({ code: "custom", message: "must be a JSON list of { email, password, says }" });
    return z.NEVER;
  }
});

const shared = {
  /** HMAC keys of fingerprints and digests, the first one active: `k2:<base64>,k1:<base64>`; 32 bytes each. */
  DIGEST_KEYS: z.string().transform((text, context): DigestRing => {
    try {
      return parseDigestKeys(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
      return z.NEVER;
    }
  }),
  EVENT_LOG: z.enum(["postgres", "kafka"]).default("postgres"),
  /** host:port, comma between; needed with EVENT_LOG=kafka */
  KAFKA_BROKERS: z
    .string()
    .default("")
    .transform((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter(Boolean),
    ),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "silent"]).default("info"),
  DATABASE_PREPARE: z
    .enum(["true", "false"])
    .default("true")
    .transform((value) => value === "true"),
  DATABASE_POOL_MAX: z.coerce.number().int().min(2).max(200).default(10),
  IDEMPOTENCY_RETENTION_HOURS: z.coerce
    .number()
    .int()
    .min(24, "keys must live for at least 24 hours")
    .max(24 * 90)
    .default(24),
  DEMO: flag,
};

const needsBrokers = (env: { EVENT_LOG: string; KAFKA_BROKERS: string[] }) => env.EVENT_LOG !== "kafka" || env.KAFKA_BROKERS.length > 0;
const brokersMissing = { path: ["KAFKA_BROKERS"], message: "is needed with EVENT_LOG=kafka" };

const webSchema = z
  .object({
    ...shared,
    DATABASE_URL: postgresUrl,
    AUTH_SECRET: secret,
    AUTH_URL: z.url("must be the origin that browsers use, e.g. https://clinic.example"),
    IDEMPOTENCY_WAIT_MS: z.coerce.number().int().min(0).max(10_000).default(2_000),
    /** 409 as the articles of this field say, or the 422 of the IETF draft. */
    IDEMPOTENCY_REUSED_STATUS: z.coerce
      .number()
      .refine((value) => value === 409 || value === 422, "must be 409 or 422")
      .default(409),
    RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(600),
    /** true: a proxy in front appends the caller's address to X-Forwarded-For. false: the header is the caller's own word and is not believed. */
    TRUST_PROXY: flag,
    METRICS_TOKEN: z.string().min(16).optional(),
    DEMO_SIGN_INS: signInList.optional(),
  })
  .refine(needsBrokers, brokersMissing);

const workerSchema = z
  .object({
    ...shared,
    WORKER_DATABASE_URL: postgresUrl,
    NOTIFICATION_PROVIDER: z.enum(["mailbox", "smtp"]).default("mailbox"),
    SMTP_URL: z
      .string()
      .regex(/^smtps?:\/\//, "must look like smtp://user:password@host:port")
      .optional(),
    SMTP_FROM: z.string().default("Clinic <no-reply@clinic.invalid>"),
    /** Health and metrics of this process, on loopback; 0: off */
    WORKER_PORT: port.default(0),
    /** Only with DEMO=true: makes lasting rows of retry wait, quarantine and blocked-behind. */
    DEMO_FAULTS: flag,
    /** For one start: read the log although stored offsets are gone or another log was not drained. */
    ACCEPT_LOG_RESET: flag,
    /** For one start: request id of an approved replay under which groups may stand far before what is processed. */
    ACCEPT_OFFSETS_BACK: z.uuid().optional(),
    DEMO_PARENT_PID: z.coerce.number().int().optional(),
    RELAY_POLL_MS: z.coerce.number().int().min(10).max(60_000).default(200),
    CONSUMER_POLL_MS: z.coerce.number().int().min(10).max(60_000).default(200),
    /** Claims of relay, consumers and dispatcher: how long a dead process's work lies still. Below 15 s it could run out during a call to the log. */
    WORKER_LEASE_MS: z.coerce.number().int().min(15_000).max(600_000).default(30_000),
    /** Signed heads of the audit chains are appended here as lines of JSON; they stand in the log of the workers in any case. */
    AUDIT_CHECKPOINT_FILE: z.string().optional(),
    AUDIT_CHECKPOINT_SECONDS: z.coerce.number().int().min(5).max(86_400).default(60),
    /** Every chain is read again from its start after so long. */
    AUDIT_VERIFY_MINUTES: z.coerce.number().int().min(1).max(10_080).default(360),
    /** Days after which a published row leaves the outbox. A start after a change of the log looks a week back in it (assertMayConsume). */
    OUTBOX_RETENTION_DAYS: z.coerce
      .number()
      .int()
      .min(8, "published rows must stay for more than the 7 days that a start looks back")
      .max(3_650)
      .default(90),
  })
  .refine(needsBrokers, brokersMissing)
  .refine((env) => env.NOTIFICATION_PROVIDER !== "smtp" || env.SMTP_URL, {
    path: ["SMTP_URL"],
    message: "is needed with NOTIFICATION_PROVIDER=smtp",
  })
  .refine((env) => env.OUTBOX_RETENTION_DAYS * 24 > env.IDEMPOTENCY_RETENTION_HOURS, {
    path: ["OUTBOX_RETENTION_DAYS"],
    message: "must be longer than IDEMPOTENCY_RETENTION_HOURS: while a key can be used again, its event stays",
  })
  .refine((env) => !env.DEMO_FAULTS || env.DEMO, { path: ["DEMO_FAULTS"], message: "is for the demo only: it needs DEMO=true" });

export type WebEnv = z.infer<typeof webSchema>;
export type WorkerEnv = z.infer<typeof workerSchema>;
let web: WebEnv | undefined;
let worker: WorkerEnv | undefined;

/** The web process's configuration, read once. Throws EnvError with one line for each wrong variable. */
export const webEnv = (): WebEnv => {
  web ??= read(webSchema, process.env);
  return web;
};

/** The worker processes' configuration, read once. Throws EnvError with one line for each wrong variable. */
export const workerEnv = (): WorkerEnv => {
  worker ??= read(workerSchema, process.env);
  return worker;
};

/** What is wrong with the environment, as a list for a person. Values are never shown: some are secrets. */
export class EnvError extends Error {
  readonly name = "EnvError";
}

/** Checks `source` against a schema. An empty value counts as not set. */
export function read<S extends z.ZodType>(schema: S, source: Record<string, string | undefined>): z.infer<S> {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => {
    const name = issue.path.join(".");
    return `  ${name}: ${given[name] === undefined && issue.code === "invalid_type" ? "is not set" : issue.message}`;
  });
  throw new EnvError(
    `The configuration is not complete:\n${lines.join("\n")}\n.env.example lists every variable with its unit and default.`,
  );
}

export const schemas = { web: webSchema, worker: workerSchema };
