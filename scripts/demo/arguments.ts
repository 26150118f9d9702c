import { parseArgs } from "node:util";

export type DemoArguments = {
  port: number;
  log: "postgres" | "kafka";
  reset: boolean;
  data: string | undefined;
  smoke: boolean;
  help: boolean;
};

export const USAGE = `npm run demo -- [options]
  --port N       address of the web app, http://127.0.0.1:N (3000)
  --log kafka    events go through Apache Kafka instead of PostgreSQL; uses KAFKA_BROKERS, Docker, or Java 17 and Maven
  --reset        throws the demo's data away first
  --data FOLDER  keeps the data there (.data/demo)
  --smoke        needs no person: throw-away data and a free port; books, loses the answer, repeats, counts, exits`;

/** @throws Error that says which argument is wrong */
export function demoArguments(words: string[]): DemoArguments {
  const values = parse(words);
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`--port is ${values.port}, and must be a number from 1 to 65535`);
  if (values.log !== "postgres" && values.log !== "kafka") throw new Error(`--log is ${values.log}, and must be postgres or kafka`);
  return { port, log: values.log, reset: values.reset, data: values.data, smoke: values.smoke, help: values.help };
}

function parse(words: string[]) {
  try {
    return parseArgs({
      args: words,
      options: {
        port: { type: "string", default: "3000" },
        log: { type: "string", default: "postgres" },
        reset: { type: "boolean", default: false },
        data: { type: "string" },
        smoke: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${USAGE}`);
  }
}
