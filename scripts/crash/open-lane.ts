import postgres from "postgres";
import { databaseUrl, roleUrls } from "@/db/bootstrap";
import { openDb } from "@/db/client";
import { testPasswords } from "@/db/testing/template-database";
import { createClinicFixture } from "@/server/domain/clinics/testing";
import { preparePostgresLog } from "@/server/event-log/postgres";
import type { Lane } from "./cut-once";

/** A database of its own with the fixture's clinics, and clean connections to it. */
export async function openLane(superuserUrl: string, template: string, number: number): Promise<Lane> {
  const name = `crash_${number}`;
  const admin = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${name} template ${template}`);
  await admin.end();
  const urls = roleUrls(superuserUrl, name, testPasswords);
  const superuser = openDb(databaseUrl(superuserUrl, { database: name }), { max: 2 });
  await superuser.$client.unsafe("create table crash_pairs (pair text, half int); grant insert on crash_pairs to aops_web, aops_worker");
  const migrator = openDb(urls.migrator, { max: 1 });
  const fixture = await createClinicFixture(migrator, { patients: 200 });
  await migrator.$client.end({ timeout: 1 });
  const world = { fixture, web: openDb(urls.web, { max: 2 }), worker: openDb(urls.worker, { max: 4 }), superuser };
  await preparePostgresLog(world.worker);
  const url: Lane["url"] = (role, port, application) => {
    const made = new URL(urls[role]);
    made.port = String(port);
    made.searchParams.set("application_name", application);
    return made.href;
  };
  return { world, port: Number(new URL(superuserUrl).port), url, nextRun: number * 100_000 };
}
