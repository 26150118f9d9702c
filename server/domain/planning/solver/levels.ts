import type { Levels, Plan, Problem } from "./types";

/** What a plan changes, level by level, told from the plan alone. */
export function levelsOf(problem: Problem, plan: Plan): Levels {
  const levels: Levels = {
    unassigned: 0,
    toldMoved: 0,
    untoldMoved: 0,
    doctorChanged: 0,
    daysMoved: 0,
    quartersMoved: 0,
    wishesMissed: 0,
    loadPairs: 0,
    idleMinutes: 0,
  };
  const days = new Map<string, { visits: number; spans: { from: number; until: number }[] }>();
  for (const [index, visit] of problem.visits.entries()) {
    const place = plan[index];
    const start = place && problem.starts[place.start];
    if (!place || !start) {
      levels.unassigned += 1;
      continue;
    }
    const minutes = problem.treatments[visit.treatment]?.minutes ?? 0;
    const { known, wish } = visit;
    if (known && known.at !== start.at) {
      levels[visit.told ? "toldMoved" : "untoldMoved"] += 1;
      levels.daysMoved += Math.abs(start.day - known.day);
      levels.quartersMoved += Math.ceil(Math.abs(start.clock - known.clock) / 15);
    }
    if (known && known.doctor !== place.doctor) levels.doctorChanged += 1;
    if (!known && wish) {
      const { window } = wish;
      const isOutside = window !== null && (start.clock < window.from || start.clock + minutes > window.until);
      levels.wishesMissed += Number(wish.doctor !== null && wish.doctor !== place.doctor);
      levels.wishesMissed += Number(wish.day !== null && wish.day !== start.day) + Number(isOutside);
    }
    const key = `${place.doctor} ${start.day}`;
    const day = days.get(key) ?? { visits: problem.doctors[place.doctor]?.visitsByDay[start.day] ?? 0, spans: [] };
    day.visits += 1;
    day.spans.push({ from: start.at, until: start.at + minutes });
    days.set(key, day);
  }
  for (const [doctor, { visitsByDay }] of problem.doctors.entries())
    for (const [day, visits] of visitsByDay.entries()) {
      const planned = days.get(`${doctor} ${day}`);
      const together = planned?.visits ?? visits;
      levels.loadPairs += (together * (together - 1)) / 2;
      levels.idleMinutes += planned ? idleMinutes(planned.spans) : 0;
    }
  return levels;
}

/** Between the first and the last planned visit of a doctor's day. */
function idleMinutes(spans: { from: number; until: number }[]): number {
  let idle = 0;
  let busyUntil: number | undefined;
  for (const { from, until } of spans.toSorted((a, b) => a.from - b.from)) {
    if (busyUntil !== undefined && from > busyUntil) idle += from - busyUntil;
    busyUntil = Math.max(busyUntil ?? until, until);
  }
  return idle;
}
