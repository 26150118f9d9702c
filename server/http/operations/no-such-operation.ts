import { AppError } from "@/server/app-error";
import { apiHandler } from "../http-handler";

/** An address of the API that knows other methods only. Like every operation it answers whoever has a token, and nobody else. */
export const methodNotAllowed = apiHandler("methodNotAllowed", async () => {
  throw new AppError("method-not-allowed");
});

/** An address below /api/v1 that is none. */
export const noSuchOperation = apiHandler("noSuchOperation", async () => {
  throw new AppError("not-found", "The API has no such address.");
});
