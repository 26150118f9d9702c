"use server";

import type { Route } from "next";
import { redirect } from "next/navigation";
import { signInWithPassword, signOutHere } from "@/server/auth/sign-in";
import { safePath } from "./safe-path";

export type SignInState = {
  email: string;
  problem?: "wrong" | "throttled" | "failed";
  retryAfterSeconds?: number;
  missing?: ("email" | "password")[];
};

/** The form's action; works without client code. An unknown address and a wrong password read the same. */
export async function enter(_before: SignInState, form: FormData): Promise<SignInState> {
  const email = String(form.get("email") ?? "").trim();
  const password = String(form.get("password") ?? "");
  const missing = [...(email ? [] : ["email" as const]), ...(password ? [] : ["password" as const])];
  if (missing.length > 0) return { email, missing };
  const end = await signInWithPassword({ email, password }).catch(() => ({ outcome: "FAILED" as const }));
  if (end.outcome === "REFUSED") return { email, problem: "wrong" };
  if (end.outcome === "THROTTLED") return { email, problem: "throttled", retryAfterSeconds: end.retryAfterSeconds };
  if (end.outcome === "FAILED") return { email, problem: "failed" };
  redirect(safePath(String(form.get("next") ?? "")) as Route);
}

/** Ends the session here. Called by sign-out.tsx alone, which clears what the browser keeps of the desk's commands. */
export async function leave(): Promise<void> {
  await signOutHere();
  redirect("/");
}
