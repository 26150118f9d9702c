import http from "node:http";
import { type CannonRequest, importAutocannon } from "./peers";
import { percentile } from "./rounds";

export type Load = { rate: number; p50: number; p95: number; p99: number };
type Expected = { status: number };

/**
 * As fast as `connections` clients go, `amount` requests together, by autocannon. The clock runs from the start to the last answer. An answer with
 * another status than the expected ends the run: it would be another thing that was measured.
 */
export async function closedLoop(
  origin: string,
  connections: number,
  amount: number,
  next: () => CannonRequest,
  expected: Expected,
): Promise<Load> {
  const autocannon = await importAutocannon();
  const times: number[] = [];
  let wrong: number | undefined;
  const began = performance.now();
  let last = began;
  await new Promise<void>((resolve, reject) => {
    const cannon = autocannon(
      { url: origin, connections, amount, timeout: 30, requests: [{ setupRequest: (request) => ({ ...request, ...next() }) }] },
      (error, result) => {
        if (error) reject(error);
        else if (wrong !== undefined) reject(new Error(`${origin} answered ${wrong} instead of ${expected.status}`));
        else if (result.errors + result.timeouts > 0 || times.length !== amount)
          reject(new Error(`${times.length} of ${amount} answers, ${result.errors} errors`));
        else resolve();
      },
    );
    cannon.on("response", (_client, status, _bytes, ms) => {
      if (status !== expected.status) wrong = status;
      times.push(ms);
      last = performance.now();
    });
  });
  return summary(times, amount / ((last - began) / 1000));
}

/**
 * `perSecond` requests at fixed moments, whether earlier ones were answered or not; a time runs from the moment at which the request was due, so that a
 * server that falls behind cannot hide it. Durations in milliseconds.
 */
export async function openLoop(
  origin: string,
  perSecond: number,
  seconds: number,
  next: () => CannonRequest,
  expected: Expected,
): Promise<Load> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const times: number[] = [];
  const began = performance.now() + 20;
  const all: Promise<void>[] = [];
  try {
    for (let i = 0; i < perSecond * seconds; i++) {
      const due = began + (i * 1000) / perSecond;
      const wait = due - performance.now();
      if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
      all.push(
        send(agent, origin, next(), expected).then(() => {
          times.push(performance.now() - due);
        }),
      );
    }
    await Promise.all(all);
  } finally {
    agent.destroy();
  }
  return summary(times, perSecond);
}

/** One request; its body's text. Throws when the status is another. */
export function send(agent: http.Agent, origin: string, request: CannonRequest, expected: Expected): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = http.request(`${origin}${request.path}`, {
      agent,
      method: request.method,
      headers: { ...request.headers, ...lengthOf(request) },
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.once("end", () =>
        response.statusCode === expected.status
          ? resolve(text)
          : reject(new Error(`${request.path} answered ${response.statusCode}: ${text.slice(0, 300)}`)),
      );
    });
    sent.end(request.body);
  });
}

const lengthOf = ({ body }: CannonRequest) => ({ "content-length": Buffer.byteLength(body ?? "") });

const summary = (times: number[], rate: number): Load => ({
  rate,
  p50: percentile(times, 50),
  p95: percentile(times, 95),
  p99: percentile(times, 99),
});
