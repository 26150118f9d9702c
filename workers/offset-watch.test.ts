import { describe, expect, it } from "vitest";
import { LogError, type LogRecord } from "@/server/domain/event-log/port";
import { type OffsetJump, offsetWatch } from "./offset-watch";

const record = (offset: number, partition = 3) =>
  ({ position: { logId: "log-1", topic: "appointment.v1", partition, offset: String(offset) } }) as LogRecord;
function watched(stored: Record<number, string> = {}) {
  const jumps: string[] = [];
  const asked = { times: 0, isAway: false };
  const groupOffsets = async () => {
    asked.times += 1;
    if (asked.isAway) throw new LogError("UNAVAILABLE", "away");
    return Object.entries(stored).map(([partition, offset]) => ({ partition: Number(partition), offset }));
  };
  const look = offsetWatch("daily-load-v1", { groupOffsets }, (jump: OffsetJump) =>
    jumps.push(`p${jump.partition} ${jump.expected}→${jump.found}`),
  );
  return { look, jumps, asked, stored };
}

describe("the first record that a consumer sees of a partition", () => {
  it("is 0 for a group that has stored nothing, or there is an alarm", async () => {
    const { look, jumps } = watched();
    await look([record(0, 1), record(1, 1)]);
    expect(jumps).toEqual([]);
    await look([record(57, 2)]);
    expect(jumps).toEqual(["p2 0→57"]);
  });

  it("is where its group stands, or there is an alarm", async () => {
    const { look, jumps } = watched({ 1: "40", 2: "40" });
    await look([record(40, 1)]);
    expect(jumps).toEqual([]);
    await look([record(41, 2)]);
    expect(jumps).toEqual(["p2 40→41"]);
  });

  it("is not judged while the log cannot say where the group stands, and the next one is", async () => {
    const { look, jumps, asked } = watched();
    asked.isAway = true;
    await look([record(57)]);
    asked.isAway = false;
    await look([record(59)]);
    expect(jumps).toEqual(["p3 58→59"]);
  });
});

describe("a record that does not follow the last one", () => {
  it("is an alarm, once, also within a batch; what follows is asked of nobody", async () => {
    const { look, jumps, asked } = watched({ 3: "0" });
    await look([record(0), record(1), record(4), record(5)]);
    await look([record(6)]);
    expect(jumps).toEqual(["p3 2→4"]);
    expect(asked.times).toBe(2);
  });

  it("is none when the group was shared anew and reads from where it stands, further on or again", async () => {
    const { look, jumps, stored } = watched({ 3: "10" });
    await look([record(10), record(11)]);
    stored[3] = "30"; // another member had it meanwhile
    await look([record(30)]);
    await look([record(30), record(31)]); // not finished the first time
    expect(jumps).toEqual([]);
  });
});
