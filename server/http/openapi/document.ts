import { extendZodWithOpenApi, OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import { z } from "zod";
import { type ProblemCode, problems } from "@/server/app-error";
import { type ApiOperation, everyProblem } from "./operation-parts";
import { apiOperations } from "./operations";

extendZodWithOpenApi(z);

const problemSchema = z
  .looseObject({
    type: z.string(),
    code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
    title: z.string(),
    status: z.int(),
    detail: z.string().optional(),
    whatToDo: z.string(),
    retryable: z.boolean(),
    retryAfterSeconds: z.int().optional(),
  })
  .describe("RFC 9457. `code` is stable.");

let document: object | undefined;

/** The OpenAPI 3.1 document, made once from the schemas that also parse the requests. */
export function openApiDocument(): object {
  document ??= makeDocument();
  return document;
}

function makeDocument(): object {
  const registry = new OpenAPIRegistry();
  registry.registerComponent("securitySchemes", "token", { type: "http", scheme: "bearer" });
  const problem = registry.register("Problem", problemSchema);
  for (const operation of apiOperations) registry.registerPath(toPath(operation, problem));
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: "3.1.0",
    info: {
      title: "Appointment Operations",
      version: "1",
      description: "One command changes an appointment once. Codes of refusals and what to do about each: docs/http-api.md.",
    },
    security: [{ token: [] }],
  });
}

const header = (description: string) => ({ description, schema: { type: "string" as const } });

function toPath(operation: ApiOperation, problem: z.ZodType): Parameters<OpenAPIRegistry["registerPath"]>[0] {
  const { operationId, method, path, summary, right, params, query, body, answer, status, keyed, versioned, tagged } = operation;
  const requestHeaders = z.object({
    ...(keyed && { "Idempotency-Key": z.string().min(16).max(255).describe("Made for the command, kept, and sent with every try.") }),
    ...(versioned && { "If-Match": z.string().describe('The ETag that was read, e.g. "3".') }),
  });
  return {
    method,
    path,
    operationId,
    summary,
    description: `Right: ${right}.`,
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(keyed && { headers: requestHeaders }),
      ...(body && { body: { required: true, content: { "application/json": { schema: body } } } }),
    },
    responses: {
      [status]: {
        description: summary,
        content: { "application/json": { schema: answer } },
        headers: {
          ...(tagged && { ETag: header("The version.") }),
          ...(keyed && {
            Location: header("Address of what was written."),
            "Idempotent-Replayed": header("`true` only when the stored answer was used."),
            "Idempotency-Key-Expires": header("Instant after which the key is a new command."),
          }),
        },
      },
      ...problemResponses([...everyProblem, ...operation.problems], problem),
    },
  };
}

/** One response for each status, naming the codes that it can carry. */
function problemResponses(codes: readonly ProblemCode[], problem: z.ZodType) {
  const statuses = [...new Set(codes.map((code) => problems[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: codes.filter((code) => problems[code].status === status).join(", "),
        content: { "application/problem+json": { schema: problem } },
      },
    ]),
  );
}
