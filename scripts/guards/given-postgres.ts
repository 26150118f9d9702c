import type { TestProject } from "vitest/node";

/** Vitest global set-up: the tests use the server and the template that the runner names. */
export default function setup(project: TestProject): void {
  project.provide("postgres", JSON.parse(process.env.GUARD_POSTGRES as string));
}
