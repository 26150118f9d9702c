// What a caller may not do to the server, over a bare socket: a browser would not.
import { connect } from "node:net";
import { e2eWorld } from "@/db/testing/e2e-world";
import { expect, test } from "./support/test";

/** Sends `parts` with pauses between them and answers what came back until the other side ended it. It fails when that side keeps it open. */
function overASocket(parts: string[], pauseMs: number, waitMs = 60_000): Promise<string> {
  const { hostname, port } = new URL(e2eWorld().origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = "";
    const end = setTimeout(() => reject(new Error(`still open after ${waitMs} ms, having said: ${answer}`)), waitMs);
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
    });
    socket.on("error", (error) => (answer ? undefined : reject(error)));
    socket.on("close", () => {
      clearTimeout(end);
      resolve(answer);
    });
    parts.forEach((part, n) => {
      setTimeout(() => socket.writable && socket.write(part), n * pauseMs);
    });
  });
}

/** POST /appointments reads its body before anything else but the token. */
const head = (...more: string[]) => {
  const authorization = `authorization: Bearer ${e2eWorld().apiToken}`;
  return `${["POST /appointments HTTP/1.1", "host: 127.0.0.1", authorization, "content-type: application/json", ...more].join("\r\n")}\r\n\r\n`;
};

test("headers of more than 16 KiB are refused", async () => {
  const answer = await overASocket([head(`x-large: ${"a".repeat(20_000)}`, "content-length: 2"), "{}"], 0);
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
});

test("a body that trickles in is refused after its time", async () => {
  const answer = await overASocket([head("content-length: 1000"), "{", ...Array.from({ length: 12 }, () => " ")], 1_000);
  expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*\r\nconnection: close\r\n/i);
  expect(answer).toContain('"code":"request-timeout"');
});

test("a body that is announced or sent too large is refused", async () => {
  expect(await overASocket([head("content-length: 999999"), "{"], 0)).toMatch(/^HTTP\/1\.1 413 [\s\S]*\r\nconnection: close\r\n/i);
  const chunk = `4000\r\n${" ".repeat(0x4000)}\r\n`;
  const answer = await overASocket([head("transfer-encoding: chunked"), ...Array.from({ length: 6 }, () => chunk)], 50);
  expect(answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*\r\nconnection: close\r\n/i);
});
