import { once } from "node:events";
import net from "node:net";
import { afterEach, expect, it } from "vitest";
import { type KafkaCut, startKafkaProxy } from "./kafka-cut-proxy";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const request = (api: number, correlation: number) => {
  const frame = Buffer.alloc(12);
  frame.writeInt32BE(8, 0);
  frame.writeInt16BE(api, 4);
  frame.writeInt32BE(correlation, 8);
  return frame;
};

/** A broker that answers every request with its correlation id, behind a proxy that is armed. */
async function start(cut: KafkaCut | undefined) {
  const asked: number[] = [];
  const broker = net.createServer((socket) =>
    socket.on("data", (chunk) => {
      for (let at = 0; at + 12 <= chunk.length; at += 12) {
        asked.push(chunk.readInt32BE(at + 8));
        const answer = Buffer.alloc(8);
        answer.writeInt32BE(4, 0);
        answer.writeInt32BE(chunk.readInt32BE(at + 8), 4);
        socket.write(answer);
      }
    }),
  );
  broker.listen(0, "127.0.0.1");
  await once(broker, "listening");
  const proxy = await startKafkaProxy(() => ({ host: "127.0.0.1", port: (broker.address() as net.AddressInfo).port }));
  proxy.arm(cut);
  const client = net.connect(proxy.port, "127.0.0.1");
  client.on("error", () => {});
  const answered: number[] = [];
  client.on("data", (chunk) => {
    for (let at = 0; at + 8 <= chunk.length; at += 8) answered.push(chunk.readInt32BE(at + 4));
  });
  closing.push(
    () => client.destroy(),
    () => proxy.close(),
    () => broker.close(),
  );
  /** One after the other, until all are answered or the connection is gone. */
  const ask = async (...apis: number[]) => {
    for (const [i, api] of apis.entries()) {
      if (client.destroyed) return;
      client.write(request(api, i + 1));
      await Promise.race([once(client, "data"), once(client, "close")]);
    }
  };
  return { proxy, asked, answered, ask };
}

it("before the second produce: the broker never sees it", async () => {
  const { proxy, asked, answered, ask } = await start({ api: "Produce", n: 2, when: "before" });
  await ask(0, 3, 0, 0);
  expect({ asked, answered, seen: proxy.seen() }).toMatchObject({ asked: [1, 2], answered: [1, 2], seen: { cut: true } });
});

it("after the first commit of offsets: the broker has done it, and its answer is lost", async () => {
  const { proxy, asked, answered, ask } = await start({ api: "OffsetCommit", n: 1, when: "after" });
  await ask(1, 8, 8);
  expect({ asked, answered, seen: proxy.seen() }).toMatchObject({ asked: [1, 2], answered: [1], seen: { cut: true } });
});

it("only counts when it is not armed", async () => {
  const { proxy, answered, ask } = await start(undefined);
  await ask(0, 1, 1, 11, 18);
  expect(answered).toHaveLength(5);
  expect(proxy.seen()).toEqual({ cut: false, requests: { Produce: 1, Fetch: 2, JoinGroup: 1, OffsetCommit: 0 } });
});
