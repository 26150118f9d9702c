import { z } from "zod";
import type { Db } from "@/db/client";
import { AppError, problems } from "@/server/app-error";
import type { CommandAnswer } from "@/server/domain/idempotency/types";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { provePerson } from "@/server/domain/scope/prove-person";

export type Flags = Record<string, string | undefined>;

/**
 * Does something at the command line as the person of `--as`, who proves to be one, in the clinic of `--clinic`, which must be one of theirs. What is wrong is
 * thrown in words: a refusal with its facts and what to do.
 */
export async function asPerson(
  db: Db,
  flags: Flags,
  usage: string,
  password: string | undefined,
  act: (person: SignedInPerson, clinicId: string) => Promise<string[]>,
): Promise<string[]> {
  if (!password) throw new Error("OPS_PASSWORD is not set: the password of the person who acts");
  try {
    const person = await provePerson(db, needed(flags, "as", usage), password);
    const clinicId = person.clinicIds[person.clinicRefs.indexOf(needed(flags, "clinic", usage))];
    if (!clinicId) throw new AppError("not-found");
    return await act(person, clinicId);
  } catch (error) {
    throw inWords(error);
  }
}

function inWords(error: unknown): unknown {
  if (error instanceof z.ZodError)
    return new Error(error.issues.map(({ path, message }) => `${path.join(".") || "a value"}: ${message}`).join("\n"));
  if (!(error instanceof AppError)) return error;
  const { title, whatToDo } = problems[error.code];
  const facts = Object.entries(error.extra).map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(", ") : value}`);
  return new Error([title, ...facts, whatToDo].join("\n"));
}

export function needed(flags: Flags, name: string, usage: string): string {
  const value = flags[name]?.trim();
  if (!value) throw new Error(`--${name} is missing\n\n${usage}`);
  return value;
}

/** The facts of a command's answer, one a line; a refusal is thrown with its own. */
export function answerLines({ status, body }: CommandAnswer): string[] {
  const facts = Object.entries(JSON.parse(body) as Record<string, unknown>).filter(
    ([, value]) => value !== null && typeof value !== "object",
  );
  const lines = facts.map(([fact, value]) => `${fact} ${value}`);
  if (status >= 300) throw new Error(lines.join("\n"));
  return lines;
}
