import { describe, expect, test } from "vitest";
import { endFaults } from "@/scripts/demo/end-faults";
import { HAD_TO_BE_KILLED } from "@/scripts/lib/child";

const killed = `the workers (process 77) ${HAD_TO_BE_KILLED} after 8.8 s`;

describe("an end of the demo", () => {
  test("within 10 s by itself is in order", () => {
    expect(endFaults("  http://127.0.0.1:3000\n\nstopping; nothing is lost\n", 10_000)).toEqual([]);
  });
  test("in which a process had to be killed is not, though all were gone in time", () => {
    expect(endFaults(`stopping; nothing is lost\n${killed}\n`, 9_100)).toEqual([killed]);
  });
  test("after more than 10 s is not", () => {
    expect(endFaults("stopping; nothing is lost", 10_001)).toEqual(["its end took 10.0 s, and 10 s are promised"]);
    expect(endFaults(killed, 12_340)).toEqual([killed, "its end took 12.3 s, and 10 s are promised"]);
  });
});
