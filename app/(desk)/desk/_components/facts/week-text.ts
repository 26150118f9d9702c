import type { HoursView } from "@/server/domain/clinics/fact-types";

type Hours = HoursView["hours"];
const interval = /^([01]\d|2[0-3]):([0-5]\d)\s*[-–]\s*([01]\d|2[0-3]):([0-5]\d)$/;

/** Monday to Sunday as lines that can be typed: "09:00-12:00, 13:00-17:00". */
export const weekTexts = (hours: Hours): string[] =>
  Array.from({ length: 7 }, (_, i) =>
    hours
      .filter(({ weekday }) => weekday === i + 1)
      .map(({ from, until }) => `${from}-${until}`)
      .join(", "),
  );

/** The hours that the lines mean, and the lines that cannot be read. */
export function parseWeek(texts: readonly string[]): { hours: Hours; wrong: number[] } {
  const hours: Hours = [];
  const wrong = new Set<number>();
  for (const [i, text] of texts.entries())
    for (const part of text
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean)) {
      const found = interval.exec(part);
      if (found) hours.push({ weekday: i + 1, from: `${found[1]}:${found[2]}`, until: `${found[3]}:${found[4]}` });
      else wrong.add(i);
    }
  return { hours, wrong: [...wrong] };
}
