import net from "node:net";

/** pass: as if it were not there · silent: takes everything, answers nothing, closes nothing · slow: every chunk `slowMs` later, both ways */
export type NetworkFault = "pass" | "silent" | "slow";
export type FaultyProxy = {
  port: number;
  /** From now on, for connections that are open and for new ones. */
  be: (fault: NetworkFault) => void;
  /** Ends every connection with a reset, as a router that forgot them does. */
  reset: () => void;
  close: () => void;
};

/** A TCP proxy whose network goes wrong in other ways than by a clean cut. `slowMs`: 40 */
export async function startFaultyProxy(upstream: { host: string; port: number }, slowMs = 40): Promise<FaultyProxy> {
  let fault: NetworkFault = "pass";
  const sockets = new Set<net.Socket>();
  const forward = (from: net.Socket, to: net.Socket) => {
    sockets.add(from);
    from.on("data", (chunk) => {
      if (fault === "pass") to.write(chunk);
      if (fault === "slow") setTimeout(() => to.writable && to.write(chunk), slowMs); // timers of one length keep their order
    });
    from.on("error", () => {});
    from.on("close", () => {
      sockets.delete(from);
      if (fault !== "silent") to.destroy();
    });
  };
  const server = net.createServer((client) => {
    const backend = net.connect({ ...upstream, noDelay: true });
    forward(client, backend);
    forward(backend, client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as net.AddressInfo).port,
    be: (next) => {
      fault = next;
    },
    reset,
    close: () => {
      server.close();
      reset();
    },
  };
}
