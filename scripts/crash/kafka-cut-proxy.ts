import net from "node:net";

/** Requests by which the product's work goes on; the rest is the client's own housekeeping. */
export const apiKeys = { Produce: 0, Fetch: 1, JoinGroup: 11, OffsetCommit: 8 } as const;
export type ApiName = keyof typeof apiKeys;

/** before: the broker never sees the n-th request of that key · after: it has done what was asked, and its answer is lost. */
export type KafkaCut = { api: ApiName; n: number; when: "before" | "after" };

export type KafkaProxy = {
  port: number;
  /** Starts to count anew; `cut` undefined only counts. `onCut` is called at the cut. */
  arm: (cut: KafkaCut | undefined, onCut?: () => void) => void;
  seen: () => { cut: boolean; requests: Record<ApiName, number> };
  close: () => void;
};

/**
 * A TCP proxy in front of a Kafka listener whose advertised address it is (clients follow that, not where they began). Both directions are frames:
 * a length of 4 bytes, then in a request API key (2), version (2), correlation id (4), in an answer the correlation id (4). Cuts once for each arming.
 * @param target where the listener really is; asked at each connection, because the broker starts after its proxy
 */
export async function startKafkaProxy(target: () => { host: string; port: number }): Promise<KafkaProxy> {
  const sockets = new Set<net.Socket>();
  let cut: KafkaCut | undefined;
  let onCut: (() => void) | undefined;
  let isCut = false;
  let requests = count();

  const server = net.createServer((client) => {
    const broker = net.connect({ ...target(), noDelay: true });
    let awaited: number | undefined; // the answer that is to be lost
    const cutHere = () => {
      isCut = true;
      onCut?.();
      for (const socket of [client, broker]) socket.destroy();
    };
    const onRequest = (frame: Buffer) => {
      if (client.destroyed) return;
      const api = nameOf(frame.readInt16BE(4));
      if (api) requests[api] += 1;
      const isHere = !isCut && cut && api === cut.api && requests[api] === cut.n;
      if (isHere && cut?.when === "before") return cutHere();
      if (isHere) awaited = frame.readInt32BE(8);
      broker.write(frame);
    };
    const onAnswer = (frame: Buffer) => {
      if (awaited !== undefined && frame.readInt32BE(4) === awaited) return cutHere();
      if (!client.destroyed) client.write(frame);
    };
    client.on("data", splitFrames(onRequest));
    broker.on("data", splitFrames(onAnswer));
    for (const [socket, other] of [
      [client, broker],
      [broker, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    arm: (next, then) => {
      cut = next;
      onCut = then;
      isCut = false;
      requests = count();
    },
    seen: () => ({ cut: isCut, requests: { ...requests } }),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const count = (): Record<ApiName, number> => ({ Produce: 0, Fetch: 0, JoinGroup: 0, OffsetCommit: 0 });
const nameOf = (key: number) => (Object.keys(apiKeys) as ApiName[]).find((name) => apiKeys[name] === key);

function splitFrames(onFrame: (frame: Buffer) => void) {
  let rest = Buffer.alloc(0);
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const size = 4 + rest.readUInt32BE(0);
      const frame = rest.subarray(0, size);
      rest = rest.subarray(size);
      onFrame(frame);
    }
  };
}
