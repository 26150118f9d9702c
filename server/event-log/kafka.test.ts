import type { Admin } from "kafkajs";
import { describe, expect, it } from "vitest";
import { againWhileLeadersMove } from "./kafka";

const broker = (type: string) => Object.assign(new Error(type), { name: "KafkaJSProtocolError", type, retriable: true });

/** An admin whose connections answer in turn. */
function adminOf(answers: (string | Error)[]) {
  const seen = { connections: 0, forgotten: 0 };
  const admin = {
    connected: async () => {
      seen.connections += 1;
      return {} as Admin;
    },
    forget: () => {
      seen.forgotten += 1;
    },
  };
  const question = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { admin, question, seen };
}

describe("a question to the cluster", () => {
  it("is asked again over a new connection while a partition has no leader that the client knows", async () => {
    const { admin, question, seen } = adminOf([broker("NOT_LEADER_FOR_PARTITION"), broker("LEADER_NOT_AVAILABLE"), "marks"]);
    expect(await againWhileLeadersMove(admin, question, 0)).toBe("marks");
    expect(seen).toEqual({ connections: 3, forgotten: 2 });
  });

  it("ends with the fault when it is another, or when leaders move for too long", async () => {
    const refused = adminOf([broker("TOPIC_AUTHORIZATION_FAILED")]);
    await expect(againWhileLeadersMove(refused.admin, refused.question, 0)).rejects.toThrow("TOPIC_AUTHORIZATION_FAILED");
    const moving = adminOf(Array.from({ length: 9 }, () => broker("NOT_LEADER_FOR_PARTITION")));
    await expect(againWhileLeadersMove(moving.admin, moving.question, 0)).rejects.toThrow("NOT_LEADER_FOR_PARTITION");
    expect(moving.seen.connections).toBe(5);
  });
});
