import type { Kafka } from "kafkajs";
import { describe, expect, it } from "vitest";
import { kafkaPublisher } from "./kafka-publish";

type Sent = { messages: { partition: number }[] };

/** Producers that answer as they are told; each send is kept. */
function fakeKafka(answers: ((sent: Sent) => unknown)[]) {
  const made: { sends: Sent[]; isGone: boolean }[] = [];
  let running = 0;
  let runningMax = 0;
  const producer = () => {
    const own = { sends: [] as Sent[], isGone: false };
    made.push(own);
    return {
      connect: async () => {},
      disconnect: async () => {
        own.isGone = true;
      },
      send: async (sent: Sent) => {
        own.sends.push(sent);
        runningMax = Math.max(runningMax, ++running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
        return (answers.shift() as (sent: Sent) => unknown)(sent);
      },
    };
  };
  return { kafka: { producer } as unknown as Kafka, made, runningMax: () => runningMax };
}
const record = { key: "k", headers: {}, value: "1" };
const ack =
  (baseOffset: string) =>
  ({ messages }: Sent) => [{ partition: messages[0]?.partition, baseOffset }];
const refuse = (error: unknown) => () => {
  throw error;
};

describe("the Kafka producer", () => {
  it("is thrown away after any surfaced error, before the next send", async () => {
    const { kafka, made } = fakeKafka([ack("0"), refuse(new Error("lost")), ack("7")]);
    const publisher = kafkaPublisher(kafka);
    await publisher.publish("appointment.v1", [record], "log");
    await expect(publisher.publish("appointment.v1", [record], "log")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await publisher.publish("appointment.v1", [record], "log");
    expect(made.map((one) => [one.sends.length, one.isGone])).toEqual([
      [2, true],
      [1, false],
    ]);
  });

  it("an acknowledged offset that is not above the last one marks nothing: another message may have been swallowed", async () => {
    const { kafka, made } = fakeKafka([ack("5"), ack("5")]);
    const publisher = kafkaPublisher(kafka);
    await publisher.publish("appointment.v1", [record], "log");
    await expect(publisher.publish("appointment.v1", [record], "log")).rejects.toMatchObject({ code: "STALE_ACK", kind: "OUTAGE" });
    expect(made[0]?.isGone).toBe(true);
  });

  it("has one request under way, whoever asks", async () => {
    const { kafka, runningMax } = fakeKafka(Array.from({ length: 5 }, (_, n) => ack(String(n))));
    const publisher = kafkaPublisher(kafka);
    await Promise.all(Array.from({ length: 5 }, () => publisher.publish("appointment.v1", [record], "log")));
    expect(runningMax()).toBe(1);
  });

  it("what the broker calls too large is poison, wherever kafkajs hides it", async () => {
    const hidden = Object.assign(new Error("retries"), { cause: { cause: { type: "MESSAGE_TOO_LARGE" } } });
    const publisher = kafkaPublisher(fakeKafka([refuse(hidden)]).kafka);
    await expect(publisher.publish("appointment.v1", [record], "log")).rejects.toMatchObject({ code: "TOO_LARGE", kind: "POISON" });
  });
});
