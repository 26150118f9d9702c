export type Part = { text: string; hit: boolean };

/** One letter as it is compared: without case, accents and composition. The search on the server folds whole names by the same idea. */
const fold = (letter: string): string =>
  letter
    .normalize("NFKD")
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[łøđðþßæœıħŧ]/g, (one) => ties[one] ?? one)
    .replace(/['’‘`´ʼ]/g, "");
const ties: Record<string, string> = { ł: "l", ø: "o", đ: "d", ð: "d", þ: "th", ß: "ss", æ: "ae", œ: "oe", ı: "i", ħ: "h", ŧ: "t" };

/** The parts of a name that match a word that was typed, in the name's own spelling. */
export function markName(name: string, typed: string): Part[] {
  const letters = [...new Intl.Segmenter("und", { granularity: "grapheme" }).segment(name)].map(({ segment }) => segment);
  const folded = letters.map(fold);
  const starts = folded.map((_, i) => folded.slice(0, i).join("").length);
  const text = folded.join("");
  const hit = new Set<number>();
  for (const word of typed.split(/[\s\p{P}]+/u).map(fold)) {
    if (word === "") continue;
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
      folded.forEach((one, i) => {
        const start = starts[i] ?? 0;
        if (one !== "" && start < at + word.length && start + one.length > at) hit.add(i);
      });
  }
  return join(letters, hit);
}

/** Words of nothing but the signs that numbers are written with: those that follow each other are one number in groups. */
const numbers = /(?<!\S)[+\d().\-/·‑–]+(?:\s+[+\d().\-/·‑–]+)*(?!\S)/gu;

/**
 * The digits of a phone number that were typed, alone or beside a name, whatever signs stand between them; the search on the server takes them apart
 * by the same idea. A leading zero is not part of a number with its country code.
 */
export function markPhone(phone: string, typed: string): Part[] {
  const signs = [...phone];
  const hit = new Set<number>();
  const at = signs.flatMap((sign, i) => (/\d/.test(sign) ? [i] : []));
  const digits = at.map((i) => signs[i]).join("");
  for (const number of typed.normalize("NFKC").match(numbers) ?? []) {
    const wanted = number.replace(/\D/g, "").replace(/^0+/, "");
    const found = wanted.length >= 3 ? digits.indexOf(wanted) : -1;
    if (found < 0) continue;
    const [first = 0, last = 0] = [at[found], at[found + wanted.length - 1]];
    for (let i = first; i <= last; i++) hit.add(i);
  }
  return join(signs, hit);
}

function join(pieces: string[], hit: Set<number>): Part[] {
  const parts: Part[] = [];
  pieces.forEach((text, i) => {
    const last = parts.at(-1);
    if (last && last.hit === hit.has(i)) last.text += text;
    else parts.push({ text, hit: hit.has(i) });
  });
  return parts;
}
