// The version of facts: what never changes it, what always does, and that no two different facts share one.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placementFor } from "../../clinics/placement-for";
import { slotsWithin } from "../../clinics/slots-within";
import { factRecords, groupsOfTable } from "./fact-groups";
import { planningFactVersion } from "./planning-fact-version";
import { fullSnapshot } from "./testing";
import { factGroups, type PlanningSnapshot } from "./types";

const versionOf = (snapshot: PlanningSnapshot) => planningFactVersion(snapshot).version;
const changedGroups = (a: PlanningSnapshot, b: PlanningSnapshot) => {
  const [one, other] = [planningFactVersion(a).groups, planningFactVersion(b).groups];
  return factGroups.filter((group) => one[group] !== other[group]);
};

type Leaf = { path: (string | number)[]; value: unknown };
function leavesOf(value: unknown, path: (string | number)[] = []): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => leavesOf(item, [...path, i]));
  if (value && typeof value === "object") return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
  return [{ path, value }];
}
function withLeaf(snapshot: PlanningSnapshot, path: (string | number)[], value: unknown): PlanningSnapshot {
  const copy = structuredClone(snapshot);
  let at = copy as unknown as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as typeof at;
  at[path.at(-1) as string] = value;
  return copy;
}

/** Fields that decide no place. Everything else that a snapshot holds is hashed. */
const leftOut =
  /^(facts\.(asOf|patient|range\..*|claims.*|clinic\.(id|ref|name|hoursVersion|factVersion)|doctors\.\d+\.(name|specialty|hoursVersion)|equipment\.\d+\.(ref|name|kind)|treatments\.\d+\.(ref|name)|holidays\.\d+\.name|breaks\.\d+\.(id|label|version)|(closures|absences|outages)\.\d+\.(id|reason|version))|visits.*)$/;

describe("the version of a plan's facts", () => {
  it("changes with every field that decides, in its group only; with no other", () => {
    const base = fullSnapshot();
    for (const { path, value } of leavesOf(base)) {
      const name = path.join(".");
      const others =
        typeof value === "number"
          ? [value + 1, -value - 1]
          : typeof value === "boolean"
            ? [!value]
            : value === null
              ? ["", 1]
              : [`${value}x`, ""];
      for (const other of others) {
        const differs = versionOf(withLeaf(base, path, other)) !== versionOf(base);
        expect({ name, differs }).toEqual({ name, differs: !leftOut.test(name) });
      }
    }
  });

  it("lies in one group for each kind of fact", () => {
    const base = fullSnapshot();
    const changes: [(s: PlanningSnapshot) => void, string[]][] = [
      [({ facts }) => void Object.assign(facts.clinic, { zone: "Asia/Seoul" }), ["clinic"]],
      [({ facts }) => void facts.holidays.pop(), ["clinic"]],
      [({ weights }) => void Object.assign(weights, { loadPair: 6 }), ["clinic"]],
      [({ facts }) => void facts.doctors[0]?.shifts.pop(), ["doctors"]],
      [({ facts }) => void facts.absences.pop(), ["doctors"]],
      [({ facts }) => void facts.outages.pop(), ["equipment"]],
      [({ facts }) => void facts.treatments[1]?.needs.pop(), ["equipment"]],
      [({ facts }) => void facts.treatments[1]?.needs[0]?.equipmentIds.reverse(), ["equipment"]],
      [({ facts }) => void facts.closures.pop(), ["closures"]],
      [({ facts }) => void facts.breaks.pop(), ["closures"]],
      [({ facts }) => void facts.hours.pop(), ["slots"]],
      [({ facts }) => void facts.treatments.push({ ...(facts.treatments[0] as (typeof facts.treatments)[0]), id: "V45" }), ["slots"]],
    ];
    for (const [change, groups] of changes) {
      const other = fullSnapshot();
      change(other);
      expect(changedGroups(base, other)).toEqual(groups);
    }
    expect(groupsOfTable("resources")).toEqual(["clinic", "doctors", "equipment"]);
    expect(groupsOfTable("absences")).toEqual(["doctors"]);
  });

  it("belongs to its clinic and dates", () => {
    const base = fullSnapshot();
    for (const range of [{ clinicId: "d" }, { fromDate: "2027-02-07" }, { untilDate: "2027-02-13" }])
      expect(versionOf({ ...base, range: { ...base.range, ...range } })).not.toBe(versionOf(base));
  });

  it("is the same for any order of rows and of keys", () => {
    const shuffled = (seed: number) => {
      const random = mulberry(seed);
      const turn = (value: unknown): unknown => {
        if (Array.isArray(value)) return shuffle(value.map(turn), random);
        if (!value || typeof value !== "object") return value;
        const turned = shuffle(Object.entries(value), random).map(([key, item]) => [key, key === "equipmentIds" ? item : turn(item)]);
        return Object.fromEntries(turned);
      };
      return turn(fullSnapshot()) as PlanningSnapshot;
    };
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(planningFactVersion(shuffled(seed))).toEqual(planningFactVersion(fullSnapshot()));
      }),
    );
  });

  it("is the same in every zone of a reader", () => {
    const before = process.env.TZ;
    try {
      const versions = ["UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia"].map((zone) => {
        process.env.TZ = zone;
        return versionOf(fullSnapshot());
      });
      expect(new Set(versions).size).toBe(1);
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  });

  it("knows how often a fact is there", () => {
    const twice = fullSnapshot();
    twice.facts.closures = [...twice.facts.closures, ...twice.facts.closures];
    expect(versionOf(twice)).not.toBe(versionOf(fullSnapshot()));
  });

  it("differs for any two different lists of facts: no value slips into the field, row or table beside it", () => {
    const word = fc.stringMatching(/^[a-z0-9:| ]{0,6}$/);
    const pause = fc.record({
      doctorId: fc.option(word),
      weekday: fc.option(fc.integer({ min: 1, max: 7 })),
      from: word,
      until: word,
    });
    const list = fc.record({
      breaks: fc.array(pause, { maxLength: 3 }),
      hours: fc.array(fc.record({ weekday: fc.nat(9), from: word, until: word }), { maxLength: 3 }),
    });
    const canonical = ({ breaks, hours }: { breaks: object[]; hours: object[] }) =>
      JSON.stringify([breaks, hours].map((rows) => rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort()));
    const build = ({ breaks, hours }: { breaks: Record<string, unknown>[]; hours: Record<string, unknown>[] }) => {
      const snapshot = fullSnapshot();
      return { ...snapshot, facts: { ...snapshot.facts, breaks, hours } } as unknown as PlanningSnapshot;
    };
    fc.assert(
      fc.property(list, list, (a, b) => {
        expect(versionOf(build(a)) === versionOf(build(b))).toBe(canonical(a) === canonical(b));
      }),
      { numRuns: 500 },
    );
  });

  it("says null, empty and a value apart, and a number from its text", () => {
    const version = (doctorId: unknown) => versionOf(withLeaf(fullSnapshot(), ["facts", "breaks", 0, "doctorId"], doctorId));
    const seats = (value: unknown) => versionOf(withLeaf(fullSnapshot(), ["facts", "doctors", 0, "providerType"], value));
    expect(new Set([null, "", "null", "s:", "0"].map(version)).size).toBe(5);
    expect(new Set(["1", "n:1", "s:1"].map(seats)).size).toBe(3);
  });

  it("covers every field that availability reads, but for what it only shows, and the claims", () => {
    const read = new Set<string>();
    const { facts } = fullSnapshot();
    const watched = watch(facts, read);
    const day = { from: Date.parse("2027-02-08T00:00Z"), until: Date.parse("2027-02-12T00:00Z") };
    for (const { id } of facts.treatments) {
      expect(slotsWithin(watched, { treatmentId: id }, day).length).toBeGreaterThan(0);
      placementFor(watched, { treatmentId: id, startsAt: "2027-02-08T10:00:00Z" });
    }
    expect(read.size).toBeGreaterThan(40);
    const onlyShown = /^(asOf|range|claims|patient|(closures|absences)\.0\.reason|breaks\.0\.label|holidays\.0\.name)/;
    const notHashed = [...read].filter((name) => leftOut.test(`facts.${name.replaceAll("#", "0")}`));
    expect(notHashed.filter((name) => !onlyShown.test(name.replaceAll("#", "0")))).toEqual([]);
  });

  it("names every column once in its table", () => {
    for (const { columns, table } of factRecords)
      expect({ table, columns: new Set(columns).size }).toEqual({ table, columns: columns.length });
  });
});

/** The same facts, writing down each field that is read of them. */
function watch<T extends object>(value: T, read: Set<string>, path: string[] = []): T {
  return new Proxy(value, {
    get: (target, key) => {
      const found = Reflect.get(target, key) as unknown;
      if (typeof key !== "string" || typeof found === "function" || (Array.isArray(target) && key === "length")) return found;
      const here = [...path, Array.isArray(target) ? "#" : key];
      if (found && typeof found === "object") return watch(found, read, here);
      read.add(here.join("."));
      return found;
    },
  });
}

function mulberry(seed: number) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function shuffle<T>(items: T[], random: () => number): T[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
