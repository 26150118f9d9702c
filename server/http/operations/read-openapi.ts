import { httpHandler } from "../http-handler";
import { openApiDocument } from "../openapi/document";

/** GET /api/openapi.json: for everybody; it says nothing about any clinic. */
export const getOpenApi = httpHandler("getOpenApi", async () => Response.json(openApiDocument()));
