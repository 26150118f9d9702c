import pino from "pino";

/**
 * Lines of JSON on standard output. A line names identities, codes and counts; never a payload, a person or a key.
 * The paths below are a second fence: should one of these fields be logged all the same, its value is not.
 */
export const logger = pino({
  level: process.env.LOG_LEVEL || "info",
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  redact: {
    paths: ["name", "phone", "email", "birthDate", "password", "token", "authorization", "cookie", "body", "payload", "note"].flatMap(
      (field) => [field, `*.${field}`],
    ),
    censor: "[redacted]",
  },
});
