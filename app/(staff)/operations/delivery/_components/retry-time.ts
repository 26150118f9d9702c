import { zonedParts } from "@/app/_components/time";

const dayMs = 86_400_000;

/** The next instant at which the clinic's clock shows `time` ("14:30"); null when it is not a time. Never more than a day ahead. */
export function nextWallClock(nowMs: number, zone: string, time: string): number | null {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  if (!hours || !minutes) return null;
  const now = zonedParts(nowMs, zone);
  const wallMs = Date.UTC(now.year, now.month - 1, now.day, Number(hours), Number(minutes));
  for (const day of [0, 1]) {
    const guessMs = wallMs + day * dayMs - now.offsetMinutes * 60_000;
    const atMs = wallMs + day * dayMs - zonedParts(guessMs, zone).offsetMinutes * 60_000; // the offset may change in between
    if (atMs > nowMs && atMs <= nowMs + dayMs) return atMs;
  }
  return null;
}
