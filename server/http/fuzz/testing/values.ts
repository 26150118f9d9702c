import type { Random } from "./random";

/** What a request may speak of: what each field could name, ids that are somebody else's, keys that were used. Grows with the answers. */
export type Pool = { named: Record<string, string[]>; foreignIds: string[]; keys: string[] };

const texts = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "é e\u0301 \u{1d504} 🤡",
  "\ud800",
  "\udfff\ud800",
  "\u202e txet",
  "\ufeffbom",
  "\u2028\u2029",
  "İnci ß Ł 김하늘",
  "%00",
  "%",
  "_%_",
  "' or 1=1 --",
  "\\",
  "\\u0000",
  "{}",
  "null",
  "[object Object]",
  "__proto__",
  "constructor",
  "../../etc/passwd",
  "<script>alert(1)</script>",
  "$" + "{7*7}",
  "\r\nx-injected: 1",
  "a".repeat(101),
  "a".repeat(501),
  "𝔄".repeat(2_000),
];
const numbers = [0, -0, -1, 1, 15, 1.5, 1e308, 2 ** 31, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), Number.MIN_VALUE];
const dates = [
  "2027-02-30",
  "2027-02-29",
  "0000-01-01",
  "9999-12-31",
  "-000001-01-01",
  "+275760-09-14",
  "2027-2-9",
  "2027-02-09T10:00",
  "2027-02-09T10:00:00",
  "2027-02-09T24:00:00Z",
  "2027-02-09T23:59:60Z",
  "2027-02-09T10:00:00+25:00",
  "2027-02-09T10:00:00.123456789123Z",
  "2027-03-14T02:30:00-05:00",
  "2027-02-09T10:00:00[Europe/Berlin]",
  "2099-12-31T23:59:59Z",
  "2000-01-01T00:00:00Z",
  "١٢٣٤-٠١-٠١",
  "now",
  "infinity",
];
const uuids = [
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "01900000-0000-7000-8000-0000000000FF",
  "{01900000-0000-7000-8000-0000000000ff}",
  "01900000000070008000000000000001",
  "01900000-0000-7000-8000-00000000000",
  "not-a-uuid",
];

/** Anything at all: the wrong type, size, script, date or owner. */
export function hostile(random: Random, pool: Pool, depth = 0): unknown {
  switch (random.int(9)) {
    case 0:
      return random.pick(numbers);
    case 1:
      return random.pick([null, true, false, {}, []]);
    case 2:
      return random.pick(dates);
    case 3:
      return random.pick(uuids);
    case 4:
      return random.pick(pool.foreignIds);
    case 5:
      return depth > 3 ? 1 : Array.from({ length: random.int(4) }, () => hostile(random, pool, depth + 1));
    case 6:
      return depth > 3
        ? "deep"
        : Object.fromEntries(Array.from({ length: random.int(3) }, () => [random.pick(texts), hostile(random, pool, depth + 1)]));
    default:
      return random.pick(texts);
  }
}

export const hostileText = (random: Random, pool: Pool): string => {
  const value = hostile(random, pool, 4);
  return typeof value === "string" ? value : String(value);
};

type Schema = {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  default?: unknown;
};

/** A value that fits the schema more often than not: valid in shape, from the pool where it names something, and now and then hostile. */
export function valueFor(schema: Schema, random: Random, pool: Pool, hostility: number, name = ""): unknown {
  if (random.chance(hostility)) return hostile(random, pool);
  const inner = (one: Schema, as = name) => valueFor(one, random, pool, hostility, as);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return inner(random.pick(choices));
  if (schema.allOf) return inner(Object.assign({}, schema, { allOf: undefined }, ...schema.allOf));
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type;
  switch (type) {
    case "object": {
      const fields = Object.entries(schema.properties ?? {}).filter(([key]) => schema.required?.includes(key) || random.chance(0.5));
      const made = fields.map(([key, one]) => [key, inner(one, key === "id" ? `${name}Id` : key)]); // patient: { id } is a patientId
      if (random.chance(hostility)) made.push([random.pick(texts), hostile(random, pool)]);
      return Object.fromEntries(made);
    }
    case "array":
      return Array.from({ length: random.int(3) }, () => inner(schema.items ?? {}));
    case "integer":
    case "number":
      return (schema.minimum ?? 0) + random.int(Math.min((schema.maximum ?? 20) - (schema.minimum ?? 0) + 1, 40));
    case "boolean":
      return random.chance(0.5);
    case "null":
      return null;
    default:
      return textFor(schema, random, pool, name);
  }
}

/** What the field names, by its name; now and then something of somebody else. */
function textFor(schema: Schema, random: Random, pool: Pool, name: string): string {
  if (name === "key") return random.chance(0.8) ? `fuzz-key-${random.int(2 ** 31)}-${random.int(2 ** 31)}` : random.pick(pool.keys);
  if (name === "version") return String(random.pick([1, 1, 1, 2, 3]));
  const known =
    pool.named[name] ?? (schema.format === "date" ? pool.named.date : schema.format === "uuid" ? pool.named.patientId : undefined);
  if (schema.format === "uuid" && random.chance(0.05)) return random.pick(pool.foreignIds);
  return random.pick(known ?? ["a text", "Planned visit", "PT-000001", "+44 1632 960001"]);
}

/** A body as it might arrive: mostly the JSON of `value`, sometimes broken on its way. Bytes, because not every body is text. */
export function bodyFor(value: unknown, random: Random): Uint8Array {
  const text = JSON.stringify(value) ?? "null";
  const bytes = (made: string) => new TextEncoder().encode(made);
  switch (random.int(40)) {
    case 0:
      return bytes(text.slice(0, random.int(text.length)));
    case 1:
      return new Uint8Array([0xff, 0xfe, ...bytes(text)]);
    case 2:
      return bytes(`${text}${" ".repeat(70_000)}`);
    case 3:
      return bytes("[".repeat(30_000));
    case 4:
      return bytes(`${"[".repeat(15_000)}${"]".repeat(15_000)}`);
    case 5:
      return bytes(`${'{"a":'.repeat(6_000)}1${"}".repeat(6_000)}`);
    case 6:
      return bytes(text.replace("{", '{"note":1,"note":2,'));
    case 7:
      return bytes(text.replace("{", '{"__proto__":{"clinicIds":["x"]},"n":9007199254740993,'));
    case 8:
      return bytes(`\ufeff${text}`);
    case 9:
      return new Uint8Array();
    default:
      return bytes(text);
  }
}
