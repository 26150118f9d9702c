/** What a transaction must not wait for: its connection, its locks and its snapshot would wait with it, and it may run again from the start. */
const forbidden: [what: string, pattern: RegExp][] = [
  ["another connection", /\bdb\s*\.\s*[$\w]|\b(?:withTx|withRead)\(\s*(?:\w+\.)*db\b/],
  ["the network", /\bfetch\(/],
  ["time", /\b(?:sleep|setTimeout|setInterval)\(/],
  ["the event log", /\b(?:eventLog|log)\s*\.\s*(?:publish|consume|readAt|watermarks|groupOffsets|logId)\(/],
];

/** Each forbidden call inside a callback of withTx( or withRead(, written in place or named in the same text: "the network: fetch(". */
export function foreignCalls(text: string): string[] {
  const code = blanked(text);
  return callbacks(code).flatMap((body) =>
    forbidden.flatMap(([what, pattern]) => {
      const found = pattern.exec(body);
      return found ? [`${what}: ${found[0]}`] : [];
    }),
  );
}

/** How many callbacks there are to look into. */
export const countCallbacks = (text: string): number => callbacks(blanked(text)).length;

function callbacks(code: string): string[] {
  return [...code.matchAll(/\bwith(?:Tx|Read)\(/g)].flatMap((call) => {
    const args = code.slice(call.index + call[0].length, closing(code, call.index + call[0].length - 1));
    const arrow = args.indexOf("=>");
    if (arrow >= 0) return [args.slice(arrow + 2)];
    const named = args.split(",")[2]?.trim() ?? "";
    return /^\w+$/.test(named) ? bodyOf(code, named) : [];
  });
}

/** What follows the parameters of `const name = (…) => …` or `function name(…) { … }`. */
function bodyOf(code: string, name: string): string[] {
  const start = new RegExp(`\\b(?:const ${name} = (?:async )?|function ${name})(?=\\()`).exec(code);
  if (!start) return [];
  const rest = code.slice(closing(code, start.index + start[0].length));
  const open = /^[^;]*?(?:=> *\{|\{\n)/.exec(rest);
  return [open ? rest.slice(open[0].length, closing(rest, open[0].length - 1)) : rest.slice(0, rest.indexOf(";"))];
}

/** Where the bracket at `open` closes. */
function closing(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if ("([{".includes(code[at] as string)) depth += 1;
    if (")]}".includes(code[at] as string) && --depth === 0) return at;
  }
  return code.length;
}

/** Without comments and the text of strings: neither is a call, and brackets in them close nothing. What a template puts in (`${…}`) is dropped with it. */
const blanked = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|\s)\/\/.*$/gm, "$1")
    .replace(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, '""');
