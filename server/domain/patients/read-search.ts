import { foldName } from "./fold-name";
import { searchDigits } from "./phone-digits";

/** A number of a search: digits of a phone number, a birth date ("1984-03-12"), or both where it may be either; `text` as a name would hold it. */
export type SearchNumber = { text: string; digits: string | null; birthDate: string | null };
/** What somebody typed to find a person: every word is in the name, and every number in the phone number, the birth date or the name. */
export type PatientSearch = { words: string[]; numbers: SearchNumber[] };

const monthNames =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const inWords = new RegExp(`(?<![\\p{L}\\d])(\\d{1,2})\\.?\\s*(${monthNames})\\.?,?\\s*(\\d{4})(?![\\p{L}\\d])`, "giu");
const inKorean = /(?<!\d)(\d{4})년\s*(\d{1,2})월\s*(\d{1,2})일/gu;
const dottedWide = /(?<![\d.])(\d{1,4})\.\s+(\d{1,2})\.\s+(\d{1,4})\.?(?![\d.])/gu;

/**
 * Takes a search apart. Three or more digits are a number, however they are separated; fewer belong to the name. Birth dates are read as 1984-03-12,
 * 12.03.1984, 12 Mar 1984, 1984년 3월 12일, 19840312, and 12/03/1984 only where day and month cannot be mistaken for each other.
 */
export function readSearch(typed: string): PatientSearch {
  const text = typed
    .normalize("NFKC")
    .replace(inWords, (all, day, month, year) => dateFrom(year, months.indexOf(month.slice(0, 3).toLowerCase()) + 1, day) ?? all)
    .replace(inKorean, (all, year, month, day) => dateFrom(year, month, day) ?? all)
    .replace(dottedWide, (_, first, month, last) => `${first}.${month}.${last}`);
  const search: PatientSearch = { words: [], numbers: [] };
  let run: string[] = [];
  const endRun = () => {
    addNumber(search, run.join(" "));
    run = [];
  };
  for (const token of text.split(/\s+/)) {
    if (!/^[+\d().\-/·‑–]+$/.test(token)) {
      endRun();
      search.words.push(...wordsOf(token));
    } else if (readDate(token) && !/^\d+$/.test(token)) {
      endRun();
      addNumber(search, token);
    } else run.push(token); // a phone number may be written in groups
  }
  endRun();
  return search;
}

function addNumber(search: PatientSearch, text: string): void {
  const number = { text: foldName(text), digits: searchDigits(text), birthDate: readDate(text) };
  if (number.digits || number.birthDate) search.numbers.push(number);
  else search.words.push(...wordsOf(text));
}

const wordsOf = (text: string): string[] => foldName(text).split(" ").filter(Boolean);

/** A date written in digits, or null: no date, or one that could be two. */
function readDate(text: string): string | null {
  const [, year, between, month, day] = /^(\d{4})([-./]?)(\d{1,2})\2(\d{1,2})$/.exec(text) ?? [];
  if (year && month && day && (between || text.length === 8)) return dateFrom(year, month, day);
  const [, first, sign, second, last] = /^(\d{1,2})([-./])(\d{1,2})\2(\d{4})$/.exec(text) ?? [];
  if (!first || !second || !last) return null;
  if (sign !== "/") return dateFrom(last, second, first);
  const [dayFirst, monthFirst] = [dateFrom(last, second, first), dateFrom(last, first, second)];
  return dayFirst && monthFirst && dayFirst !== monthFirst ? null : (dayFirst ?? monthFirst);
}

/** "1984-03-12", or null for a day that no calendar has. */
function dateFrom(year: string, month: string | number, day: string): string | null {
  const date = `${year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`;
  const ms = Date.parse(`${date}T00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date) ? date : null;
}
