import type { z } from "zod";
import { AppError } from "@/server/app-error";

/** The query of an address by its schema. A parameter given twice is refused: which of them would count? Throws AppError request-invalid or ZodError. */
export function queryOf<S extends z.ZodType>(request: Request, schema: S): z.infer<S> {
  const given = [...new URL(request.url).searchParams];
  if (new Set(given.map(([name]) => name)).size !== given.length)
    throw new AppError("request-invalid", "A query parameter is given twice.");
  return schema.parse(Object.fromEntries(given));
}
