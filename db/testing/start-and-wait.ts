import { startPostgres } from "@/db/testing/embedded-postgres";

// The parent that a test kills: starts a server in the folder given (throw-away when the second word says so), says where it lies, and stays.
const server = await startPostgres({ dir: process.argv[2] ?? "", durable: process.argv[3] !== "throw-away" });
console.log(server.dir);
setInterval(() => {}, 60_000);
