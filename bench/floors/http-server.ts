// A process of its own, as the web app is: bare node:http, no framework, no check of who calls. Two routes, each the least that could be called one.
import { readFileSync } from "node:fs";
import http from "node:http";
import { openBare } from "@/bench/lib/database";
import type { World } from "@/bench/lib/world";
import { bookOneByOne } from "./booking";
import { freeQuarters } from "./slots";

export type FloorWorld = Pick<World, "tenantGroupId" | "clinics" | "patients" | "actor">;

const world = JSON.parse(readFileSync(process.env.BENCH_WORLD ?? "", "utf8")) as FloorWorld as World;
const bare = openBare(process.env.DATABASE_URL ?? "");
const patients = new Map(world.patients.map((patient) => [patient.id, patient]));
const doctors = new Map(world.clinics.flatMap((clinic) => clinic.doctors.map((doctor) => [doctor.id, { doctor, clinic }] as const)));

const server = http.createServer(async (request, response) => {
  try {
    const [status, body] = request.method === "POST" ? [201, await book(await read(request))] : [200, await slots(request.url ?? "")];
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));

async function read(request: http.IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const chunk of request) text += chunk;
  return text;
}

/** Parses the same JSON and writes the same rows. */
function book(text: string): Promise<string> {
  const { patient, treatmentId, doctorId, startsAt } = JSON.parse(text) as {
    patient: { id: string };
    treatmentId: string;
    doctorId: string;
    startsAt: string;
  };
  const known = doctors.get(doctorId);
  const person = patients.get(patient.id);
  if (!known || !person) throw new Error("unknown");
  const endsAt = new Date(Date.parse(startsAt) + 15 * 60_000).toISOString();
  const local = { localDate: startsAt.slice(0, 10), localStart: startsAt.slice(0, 16), utcOffsetSeconds: 0 };
  return bookOneByOne(bare, world, { ...known, patient: person, treatmentId, startsAt, endsAt, ...local });
}

/** A doctor's week in one query. */
async function slots(url: string): Promise<string> {
  const { searchParams } = new URL(url, "http://floor");
  const known = doctors.get(searchParams.get("doctorId") ?? "");
  return JSON.stringify(await freeQuarters(bare, known?.doctor.resourceId ?? "", searchParams.get("from") ?? ""));
}
