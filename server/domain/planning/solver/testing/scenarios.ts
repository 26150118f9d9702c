// The three scenarios that the original project publishes, rebuilt from its fixture: half-hour treatments, Monday to Friday 09:00 to 18:00, everybody starts
// with doctor 1 on Monday 09:00. Its score: −100 for each pair of visits of one doctor on one day, −10 for each minute between two of them.
import type { Plan, Problem } from "../types";
import { type Instance, toProblem, usualWeights } from "./instance";

export const scenarios = [
  { name: "small", doctors: 2, visits: 10, days: 5, score: 0, publishedMs: 5030 },
  { name: "medium", doctors: 5, visits: 30, days: 5, score: -500, publishedMs: 8270 },
  { name: "large", doctors: 10, visits: 100, days: 10, score: -2000, publishedMs: 16_163 },
];

export function scenarioProblem({ doctors, visits, days }: Pick<(typeof scenarios)[number], "doctors" | "visits" | "days">): Problem {
  const workingDays = Array.from({ length: days }, (_, day) => day).filter((day) => day % 7 < 5);
  const instance: Instance = {
    name: `${visits} visits, ${doctors} doctors`,
    grid: 30,
    days,
    opens: 540,
    closes: 1080,
    clinicLimit: null,
    doctorLimit: 1,
    closed: [],
    doctors: Array.from({ length: doctors }, (_, i) => {
      const shifts = workingDays.map((day) => ({ day, from: 540, until: 1080 }));
      return { id: i + 1, type: "DOCTOR", limit: null, shifts, absences: [] };
    }),
    equipment: [],
    treatments: [{ id: 1, minutes: 30, type: "DOCTOR", limit: null, options: [] }],
    visits: Array.from({ length: visits }, (_, i) => {
      return { ...visit, id: i + 1, patient: i + 1 };
    }),
    weights: { ...usualWeights, loadPair: 100 },
  };
  return toProblem(instance);
}

/** All starts are the same and worth nothing in the original's score, so nobody has a place or a wish. */
const visit = {
  treatment: 1,
  pinned: false,
  told: false,
  priority: 1,
  current: null,
  preferredDoctor: null,
  requestedDay: null,
  window: null,
};

/** In the original's scoring, told from the plan alone. */
export function originalScore(problem: Problem, plan: Plan): number {
  const days = new Map<string, number[]>();
  for (const place of plan) {
    const start = place && problem.starts[place.start];
    if (!place || !start) return Number.NEGATIVE_INFINITY;
    const key = `${place.doctor} ${start.day}`;
    days.set(key, [...(days.get(key) ?? []), start.at]);
  }
  let score = 0;
  for (const starts of days.values())
    for (const [i, first] of starts.entries())
      for (const second of starts.slice(i + 1)) score -= 100 + 10 * Math.max(0, Math.abs(second - first) - 30);
  return score;
}
