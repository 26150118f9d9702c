import { bootstrapDatabase } from "@/db/bootstrap";
import { migrateDatabase } from "@/db/migrate";

export const TEMPLATE = "appointment_template";

/** Passwords of a server that lives as long as one test run and listens on loopback only. */
export const testPasswords = { migrator: "migrator", web: "web", worker: "worker" };

/** Makes the database that every test database is a copy of: roles, schema, nothing in it. */
export async function createTemplateDatabase(superuserUrl: string): Promise<string> {
  const urls = await bootstrapDatabase(superuserUrl, TEMPLATE, testPasswords);
  await migrateDatabase(urls.migrator);
  return TEMPLATE;
}
