import net from "node:net";

/** Where to cut the one transaction that begins with a message matching `arm`, which is number 1 in its direction; counting ends when it does. */
export type Cut = {
  side: "front" | "back";
  /** Before or after the n-th message is forwarded. */
  when: "before" | "after";
  n: number;
  how: "fin" | "rst";
  /** Go silent in both directions first, then cut. */
  stallMs?: number;
  /** Which occurrence of `arm` is cut, 1 = the first: an operation of several transactions is swept one by one. */
  nthTransaction?: number;
  arm: RegExp;
};
export type CutProxy = {
  port: number;
  /** `transactions`: the messages of each one that began with `arm`, in that order, as far as it was let go. */
  seen: { cut: boolean; last: string; transactions: { front: number; back: number }[] };
  close(): void;
};

/**
 * A TCP proxy in front of PostgreSQL that forwards protocol messages one by one and cuts at the chosen one. One proxy cuts once. No TLS.
 * With n = 0 it only counts.
 */
export async function startCutProxy(upstream: { host: string; port: number }, cut: Cut): Promise<CutProxy> {
  const seen: CutProxy["seen"] = { cut: false, last: "", transactions: [] };
  const sockets = new Set<net.Socket>();

  const server = net.createServer((client) => {
    const backend = net.connect({ ...upstream, noDelay: true });
    client.setNoDelay(true);
    let current: { front: number; back: number; isTarget: boolean } | undefined; // the transaction that runs on this connection
    let begun = false; // postgres.js pipelines BEGIN behind a plain query: answers to that one do not count
    let silent = false;

    const end = () => {
      for (const socket of [client, backend]) cut.how === "rst" ? socket.resetAndDestroy() : socket.destroy();
    };
    const cutHere = (message: Buffer, to?: net.Socket) => {
      silent = true;
      seen.cut = true;
      seen.last = String.fromCharCode(message[0] ?? 0);
      const stop = () => (cut.stallMs ? setTimeout(end, cut.stallMs) : end());
      to ? to.write(message, stop) : stop();
    };
    const begin = () => {
      const counted = { front: 0, back: 0 };
      seen.transactions.push(counted);
      return Object.assign(counted, { isTarget: seen.transactions.length === (cut.nthTransaction ?? 1) });
    };
    const forward = (side: "front" | "back", to: net.Socket) => (message: Buffer) => {
      if (silent) return;
      if (side === "front" && cut.arm.test(message.toString("latin1"))) current = begin();
      if (current && side === "back" && isComplete(message, "BEGIN")) begun = true;
      const counts = current !== undefined && (side === "front" || begun);
      if (current && counts) current[side]++;
      const here = counts && current?.isTarget && !seen.cut && cut.side === side && current[side] === cut.n;
      if (!here) to.write(message);
      else if (cut.when === "before") cutHere(message);
      else cutHere(message, to);
      if (begun && isIdleAgain(message, side)) {
        current = undefined;
        begun = false;
      }
    };

    client.on("data", splitMessages(true, forward("front", backend)));
    backend.on("data", splitMessages(false, forward("back", client)));
    for (const [socket, other] of [
      [client, backend],
      [backend, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        if (!silent) other.destroy();
      });
    }
  });

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as net.AddressInfo).port, seen, close };
}

const isComplete = (message: Buffer, tag: string) => message[0] === 0x43 && message.toString("latin1", 5, 5 + tag.length) === tag;
/** ReadyForQuery, "not in a transaction": it has ended. */
const isIdleAgain = (message: Buffer, side: string) => side === "back" && message[0] === 0x5a && message[5] === 0x49;

/** Frames: type (1 byte; none on a client's start-up packet), then a length that counts itself. */
function splitMessages(startupFirst: boolean, onMessage: (message: Buffer) => void) {
  let rest = Buffer.alloc(0);
  let typeBytes = startupFirst ? 0 : 1;
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= typeBytes + 4) {
      const size = typeBytes + rest.readUInt32BE(typeBytes);
      if (rest.length < size) return;
      const message = rest.subarray(0, size);
      rest = rest.subarray(size);
      typeBytes = 1;
      onMessage(message);
    }
  };
}
