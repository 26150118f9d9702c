// One-dimensional arrays as parameters and results, without the driver's look-up of all types on every new connection.
const arrayTypes = { bool: 1000, int2: 1005, int4: 1007, text: 1009, int8: 1016, timestamptz: 1185, date: 1182, uuid: 2951 } as const;

/** The `types` option of postgres.js for the arrays that this product sends and reads; elements travel as text. */
export const arrayTypeOptions = Object.fromEntries(
  Object.entries(arrayTypes).map(([name, oid]) => [
    `${name}Array`,
    {
      to: oid,
      from: [oid],
      serialize: toArrayLiteral,
      parse: name === "int2" || name === "int4" ? (text: string) => parseArrayLiteral(text).map(Number) : parseArrayLiteral,
    },
  ]),
);

/** `["a", "b c", null]` → `{a,"b c",NULL}`; an element that is no plain word is quoted, so commas, braces and quotes in it are safe. */
export function toArrayLiteral(values: readonly unknown[]): string {
  return `{${values.map(toElement).join(",")}}`;
}

/** Ids and numbers go as they are: they are nearly all there is, and quotes would be read again by the server. */
const plain = /^[\w.:-]+$/;

function toElement(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  const text = String(value);
  return plain.test(text) && !(text.length === 4 && text.toUpperCase() === "NULL") ? text : `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

/** `{a,"b c",NULL}` → `["a", "b c", null]`. One dimension only. */
export function parseArrayLiteral(text: string): (string | null)[] {
  const elements: (string | null)[] = [];
  const element = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/g;
  for (const [, quoted, bare] of text.slice(1, -1).matchAll(element)) {
    if (quoted !== undefined) elements.push(quoted.replace(/\\(.)/g, "$1"));
    else elements.push(bare === "NULL" ? null : (bare as string));
  }
  return elements;
}
