import "server-only";

import { TRPCError } from "@trpc/server";
import { forbidden, redirect } from "next/navigation";

/** Reads for a page. Signed out leads to sign-in, a missing right is a 403 page; "OUT_OF_SCOPE" when the clinic is not one of the person's. */
export async function readOrRefuse<T>(read: () => Promise<T>): Promise<T | "OUT_OF_SCOPE"> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TRPCError)) throw error;
    if (error.code === "UNAUTHORIZED") redirect("/sign-in");
    if (error.code === "FORBIDDEN") forbidden();
    if (error.code === "NOT_FOUND") return "OUT_OF_SCOPE";
    throw error;
  }
}
