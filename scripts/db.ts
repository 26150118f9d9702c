import { bootstrapDatabase, type RolePasswords } from "@/db/bootstrap";
import { migrateDatabase } from "@/db/migrate";
import { scriptEnv } from "@/scripts/lib/script-env";

/**
 * npm run db:bootstrap: roles, database and extensions, once, as superuser (SUPERUSER_DATABASE_URL); the names and passwords of the three roles
 * are those of DATABASE_URL, WORKER_DATABASE_URL and MIGRATOR_DATABASE_URL. npm run db:migrate: the tables, as the migrator.
 */
try {
  if (process.argv[2] === "bootstrap") await bootstrap();
  else if (process.argv[2] === "migrate") console.log(`ran ${await migrateDatabase(scriptEnv.migrate().MIGRATOR_DATABASE_URL)} migrations`);
  else throw new Error("say bootstrap or migrate: npm run db:bootstrap, npm run db:migrate");
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function bootstrap(): Promise<void> {
  const env = scriptEnv.bootstrap();
  const [web, worker] = [new URL(env.DATABASE_URL), new URL(env.WORKER_DATABASE_URL)];
  const migrator = new URL(env.MIGRATOR_DATABASE_URL);
  const passwords: RolePasswords = { web: password(web), worker: password(worker), migrator: password(migrator) };
  const database = migrator.pathname.slice(1);
  await bootstrapDatabase(env.SUPERUSER_DATABASE_URL, database, passwords);
  console.log(`database ${database} has its roles and extensions; next: npm run db:migrate`);
}

const password = (of: URL) => decodeURIComponent(of.password);
