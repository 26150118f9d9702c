import { z } from "zod";
import { passwordCharactersMin } from "@/server/domain/scope/users";
import { postgresUrl, read } from "@/server/env";

// What the scripts read beside the variables of the processes (server/env.ts). Each asks for its own before it does anything.
const ops = {
  MIGRATOR_DATABASE_URL: postgresUrl,
  OPS_PASSWORD: z.string().min(passwordCharactersMin, `needs at least ${passwordCharactersMin} characters`).optional(),
};
const bootstrap = {
  DATABASE_URL: postgresUrl,
  WORKER_DATABASE_URL: postgresUrl,
  MIGRATOR_DATABASE_URL: postgresUrl,
  SUPERUSER_DATABASE_URL: postgresUrl,
};
const kafka = {
  KAFKA_PORT: z.coerce.number("must be a port: 1 to 65535").int().min(1).max(65_535).default(9092),
};

type Source = Record<string, string | undefined>;
const reader =
  <S extends z.ZodType>(schema: S) =>
  (source: Source = process.env): z.infer<S> =>
    read(schema, source);

/** The variables of one script each. They throw EnvError with one line for each that is missing or wrong, never with a value. */
export const scriptEnv = {
  ops: reader(z.object(ops)),
  bootstrap: reader(z.object(bootstrap)),
  migrate: reader(z.object({ MIGRATOR_DATABASE_URL: postgresUrl })),
  kafka: reader(z.object(kafka)),
};
