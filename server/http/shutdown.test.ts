import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { clientAddress } from "./client-address";
import { metricsPage } from "./metrics-page";
import { drain, peerHeader, stopSignal, watchRequests } from "./shutdown";

describe("a process that is asked to stop", () => {
  it("tells its streams, lets an answer under way finish, and takes nobody new", async () => {
    watchRequests();
    let finish = () => {};
    let peer: unknown;
    const started = new Promise<void>((resolve) => {
      server.on("request", (request, response) => {
        peer = request.headers[peerHeader];
        finish = () => response.end("done");
        resolve();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const answer = fetch(url, { headers: { [peerHeader]: "192.0.2.1" } }).then((response) => response.text());
    await started;
    expect(peer).toBe("127.0.0.1"); // not what the caller said
    expect(stopSignal().aborted).toBe(false);
    const drained = drain(5_000);
    expect(stopSignal().aborted).toBe(true);
    finish();
    expect(await drained).toBe(0);
    expect(await answer).toBe("done");
    await expect(fetch(url)).rejects.toThrow();
  });
  const server = createServer();
});

describe("the address of a caller", () => {
  const headers = new Headers({ [peerHeader]: "10.0.0.1", "x-forwarded-for": "1.1.1.1, 192.0.2.9" });

  it("is the socket's; behind a trusted proxy it is what that proxy saw", () => {
    expect(clientAddress(headers, false)).toBe("10.0.0.1");
    expect(clientAddress(headers, true)).toBe("192.0.2.9");
    expect(clientAddress(new Headers(), true)).toBe("unknown");
  });
});

describe("metrics", () => {
  const ask = (headers: Record<string, string>, METRICS_TOKEN?: string) =>
    metricsPage({ request: new Request("http://clinic.invalid", { headers }), env: { METRICS_TOKEN } as never }).then(
      (response) => response.status,
      (error) => error.code,
    );

  it("are for this machine while there is no token, and not for whom a proxy on it speaks", async () => {
    expect(await ask({ [peerHeader]: "127.0.0.1" })).toBe(200);
    expect(await ask({ [peerHeader]: "::ffff:127.0.0.1", "x-forwarded-for": "::ffff:127.0.0.1" })).toBe(200);
    expect(await ask({ [peerHeader]: "127.0.0.1", "x-forwarded-for": "192.0.2.1" })).toBe("signed-out");
    expect(await ask({ [peerHeader]: "192.0.2.1" })).toBe("signed-out");
    expect(await ask({})).toBe("signed-out");
  });

  it("are for who holds the token when there is one", async () => {
    const token = "0123456789abcdef";
    expect(await ask({ authorization: `Bearer ${token}` }, token)).toBe(200);
    expect(await ask({ [peerHeader]: "127.0.0.1" }, token)).toBe("signed-out");
    expect(await ask({ authorization: "Bearer other" }, token)).toBe("signed-out");
  });
});
