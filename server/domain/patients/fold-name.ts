/** Letters that Unicode does not take apart, but people type without their stroke or tie. */
const plain: Record<string, string> = { ł: "l", ø: "o", đ: "d", ð: "d", þ: "th", ß: "ss", æ: "ae", œ: "oe", ı: "i", ħ: "h", ŧ: "t" };

/**
 * A name as it is compared: without case, accents, width, apostrophes and composition, one space between words. The person's own spelling is kept
 * beside it. Hangul comes out composed whether it was typed composed or not: its parts are letters, not accents.
 */
export const foldName = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[łøđðþßæœıħŧ]/g, (letter) => plain[letter] ?? letter)
    .replace(/['’‘`´ʼ]/g, "")
    .normalize("NFC")
    .replace(/[\s\p{P}]+/gu, " ")
    .trim();
