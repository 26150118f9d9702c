import net from "node:net";
import { closeDb, type Db, openDb } from "@/db/client";

/**
 * How often a client waits for the server while `work` runs: bytes that go to the server after it has answered are a new round trip, whatever was
 * pipelined with them. Runs over one connection through a proxy, once to prepare its statements and once to count.
 */
export async function countRoundTrips(url: string, work: (db: Db) => Promise<unknown>): Promise<number> {
  const target = new URL(url);
  let trips = 0;
  let answered = true;
  const proxy = net.createServer((client) => {
    const server = net.connect(Number(target.port), target.hostname);
    client.on("data", (chunk) => {
      if (answered) trips += 1;
      answered = false;
      server.write(chunk);
    });
    server.on("data", (chunk) => {
      answered = true;
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String((proxy.address() as net.AddressInfo).port);
  const db = openDb(through.toString(), { max: 1, applicationName: "bench-round-trips" });
  try {
    for (let i = 0; i < 2; i++) await work(db);
    trips = 0;
    await work(db);
    return trips;
  } finally {
    await closeDb(db, 1);
    proxy.close();
  }
}
