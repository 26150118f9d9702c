/** A phone number as it is compared: its digits, with the country code when one was given (+49 or 0049). Null when there are too few to compare. */
export function phoneDigits(phone: string): string | null {
  const digits = phone.normalize("NFKC").replace(/\D/g, "").replace(/^00/, "");
  return digits.length >= 5 ? digits : null;
}

/**
 * The digits of a search, or null when the text is no number: three or more digits and nothing but the signs that numbers are written with.
 * A leading zero is the trunk prefix of a number that may be stored with its country code, so it is left out.
 */
export function searchDigits(text: string): string | null {
  const plain = text.normalize("NFKC").trim();
  if (!/^[+\d\s().\-/·‑–]+$/.test(plain)) return null;
  const digits = plain.replace(/\D/g, "").replace(/^0+/, "");
  return digits.length >= 3 ? digits : null;
}
