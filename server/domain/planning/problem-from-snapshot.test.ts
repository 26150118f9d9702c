import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { addDays, localAt, localSpan, minuteMs, toIso } from "@/server/domain/clinics/local-time";
import { placementFor } from "@/server/domain/clinics/placement-for";
import { deviceFact, doctorFact, everyDayAt, factsWith, needFact, periodFact, treatmentFact } from "@/server/domain/clinics/testing-facts";
import type { ClaimFact, ClinicFacts, Placement } from "@/server/domain/clinics/types";
import { placeVisit } from "./place-visit";
import { placementsOf, problemFromSnapshot } from "./problem-from-snapshot";
import type { PlanningSnapshot, VisitFact } from "./snapshot/types";
import { builtInWeights } from "./snapshot/weights";
import { Random } from "./solver/random";
import { solve } from "./solver/solve";

const zone = "Europe/Berlin";
const effort = { searchRounds: 400, boundRounds: 20, lpIterations: 0, kernelColumnsMax: 0 };
const pick = <T>(random: Random, items: readonly T[]): T => items[random.below(items.length)] as T;

/** Two doctors and a nurse, devices with alternatives, buffers, a limit of the clinic, shifts over midnight, a closure, an absence, an outage. */
function clinicFacts(fromDate: string, random: Random): ClinicFacts {
  const day = (n: number) => addDays(fromDate, n);
  return factsWith({
    asOf: `${day(0)}T07:10:00.000000Z`,
    range: {
      from: localSpan(zone, `${day(0)}T00:00`, `${day(0)}T00:00`).from,
      until: localSpan(zone, `${day(3)}T01:00`, `${day(3)}T01:00`).from,
    },
    clinic: { gridMinutes: pick(random, [10, 15, 20]), resource: pick(random, [null, { id: "r-clinic", seats: 2 }]) },
    hours: everyDayAt(["08:05", "12:00"], ["13:00", "17:30"], ["22:00", "03:30"]),
    doctors: [
      doctorFact("D1"),
      doctorFact("D2", { seats: 2, shifts: everyDayAt(["08:00", "16:00"], ["22:00", "03:30"]) }),
      doctorFact("N1", { providerType: "NURSE", resourceSeats: 3 }),
    ],
    equipment: [deviceFact("E1"), deviceFact("E2", { quantity: 2 })],
    treatments: [
      treatmentFact("T1", 30, { providerType: "DOCTOR", bufferAfterMinutes: 5 }),
      treatmentFact("T2", 45, { bufferBeforeMinutes: 10, needs: [needFact(["E1", "E2"], { usageMinutes: 20 })] }),
      treatmentFact("T3", 20, {
        seats: 3,
        needs: [needFact(["E2"]), needFact(["E2", "E1"], { position: 1, usageOffsetMinutes: 10 })],
      }),
    ],
    closures: [{ ...periodFact(zone, `${day(1)}T10:07`, `${day(1)}T11:00`), id: "c1" }],
    absences: [{ ...periodFact(zone, `${day(0)}T13:00`, `${day(1)}T12:00`), doctorId: "D1" }],
    outages: [{ ...periodFact(zone, `${day(0)}T09:00`, `${day(2)}T12:00`), resourceId: "r-E2", units: 1 }],
    breaks: [{ id: "b1", doctorId: null, weekday: null, from: "15:00", until: "15:10", label: "Tea", version: "1" }],
  });
}

const claimsOf = (id: string, placement: Placement): ClaimFact[] =>
  placement.claims.map(({ resourceId, fromIso, untilIso, seats }) => ({
    resourceId,
    from: Date.parse(fromIso),
    until: Date.parse(untilIso),
    seats,
    appointmentId: id,
    appointmentRef: id,
    overridden: false,
  }));

const visitFact = (id: string, patient: string, placement: Placement, treatmentId: string, rest: Partial<VisitFact> = {}): VisitFact => ({
  id,
  ref: id,
  status: "CONFIRMED",
  version: "1",
  placementVersion: "1",
  patientId: patient,
  patientResourceId: `r-${patient}`,
  doctorId: placement.doctorId,
  treatmentId,
  startsAt: placement.startsAt,
  endsAt: placement.endsAt,
  localDate: placement.localDate,
  equipment: placement.equipment.map(({ equipmentId }, needPosition) => ({ equipmentId, needPosition })),
  pinned: false,
  toldPlacementVersion: "1",
  overridden: false,
  ...rest,
});

/** Books at random on a clinic without its closure, absence and outage, then brings them back. */
function busySnapshot(fromDate: string, seed: number): PlanningSnapshot {
  const random = new Random(seed);
  const facts = clinicFacts(fromDate, random);
  let calm: ClinicFacts = { ...facts, closures: [], absences: [], outages: [], asOf: `${addDays(fromDate, -1)}T00:00:00.000000Z` };
  const visits: VisitFact[] = [];
  for (let i = 0; i < 200 && visits.length < 25; i += 1) {
    const treatmentId = pick(random, ["T1", "T2", "T3"]);
    const patient = `P${random.below(12)}`;
    const doctorId = pick(random, ["D1", "D2", "N1"]);
    const at = facts.range.from + (6 + random.below(3 * 24 * 12 - 120)) * 5 * minuteMs;
    const asked = { ...calm, patient: { id: patient, ref: patient, resourceId: `r-${patient}` } };
    const found = placementFor(asked, { treatmentId, doctorId, patientId: patient, startsAt: at });
    if (!found.ok) continue;
    const id = `V${String(i).padStart(3, "0")}`;
    calm = { ...calm, claims: [...calm.claims, ...claimsOf(id, found.placement)] };
    visits.push(visitFact(id, patient, found.placement, treatmentId, { toldPlacementVersion: random.coin() ? "1" : null }));
  }
  return {
    range: { clinicId: "c", fromDate, untilDate: addDays(fromDate, 2) },
    facts: { ...facts, claims: calm.claims },
    visits,
    weights: builtInWeights,
  };
}

/** The last one has a day of 25 hours on which the clinic is open while the clocks go back, the one before a day of 23. */
const weeks = ["2027-02-08", "2027-06-01", "2027-03-27", "2027-10-30"];
const now = (facts: ClinicFacts) => Temporal.Instant.from(facts.asOf);

describe("a plan from a clinic's facts", () => {
  it.each(weeks.flatMap((week) => [1, 2, 3].map((seed) => ({ week, seed }))))(
    "can be booked, visit by visit ($week, $seed)",
    async ({ week, seed }) => {
      const snapshot = busySnapshot(week, seed);
      const { facts, visits } = snapshot;
      const problem = problemFromSnapshot(
        snapshot,
        visits.filter((_, i) => i % 4 !== 0).map(({ id }) => id),
      );
      const { plan } = await solve(problem, { seed, effort, timeLimitMs: 600_000 });
      const places = placementsOf(problem, plan);
      expect(places.length).toBeGreaterThan(5);
      const movable = new Set(problem.visits.map(({ id }) => id));
      const staying = facts.claims.filter(({ appointmentId }) => !movable.has(appointmentId ?? ""));
      const planned = places.map((place) => {
        const visit = visits.find(({ id }) => id === place.appointmentId) as VisitFact;
        return { place, visit, claims: claimsOf(visit.id, placeVisit(facts, visit, place)) };
      });
      for (const { place, visit } of planned) {
        const others = planned.filter((one) => one.visit !== visit).flatMap((one) => one.claims);
        const treatment = facts.treatments.find(({ id }) => id === visit.treatmentId);
        const needs = treatment?.needs.map((need, i) => ({ ...need, equipmentIds: [place.equipmentIds[i] as string] })) ?? [];
        const asked: ClinicFacts = {
          ...facts,
          claims: [...staying, ...others],
          patient: { id: visit.patientId, ref: visit.patientId, resourceId: visit.patientResourceId },
          treatments: facts.treatments.map((one) => (one === treatment ? { ...one, needs } : one)),
        };
        const wish = { treatmentId: visit.treatmentId, doctorId: place.doctorId, patientId: visit.patientId, startsAt: place.startsAt };
        expect(placementFor(asked, { ...wish, now: now(facts) })).toMatchObject({ ok: true, placement: { startsAt: place.startsAt } });
      }
    },
  );

  it("is the same whatever the order of the rows", () => {
    const snapshot = busySnapshot("2027-02-08", 9);
    const ids = snapshot.visits.map(({ id }) => id);
    const turned = { ...snapshot, visits: snapshot.visits.toReversed() };
    expect(problemFromSnapshot(turned, ids.toReversed())).toEqual(problemFromSnapshot(snapshot, ids));
  });

  it("offers a repeated hour twice, and counts moves by the clock", () => {
    const snapshot = busySnapshot("2027-10-30", 1);
    const { starts, originMs } = problemFromSnapshot(
      snapshot,
      snapshot.visits.map(({ id }) => id),
    );
    const atTwo = starts.filter(({ day, clock }) => day === 1 && clock >= 120 && clock < 180);
    const shown = atTwo.map(({ at }) => localAt(zone, originMs + at * minuteMs).local);
    expect(shown.length).toBe(new Set(shown).size * 2);
  });

  it("a visit off the grid may stay, and nothing else may go there", () => {
    const facts = factsWith({ asOf: "2027-02-07T00:00:00.000000Z" });
    const start = Date.parse("2027-02-08T09:05:00Z");
    const at = { treatmentId: "V30", patientResourceId: "r-P1" };
    const placement = placeVisit(facts, at, { doctorId: "D1", startsAt: toIso(start), equipmentIds: [] });
    const visit = visitFact("A", "P1", placement, "V30");
    const other = visitFact("B", "P2", placement, "V30", { status: "PENDING_RESCHEDULE" });
    const snapshot = {
      range: { clinicId: "c", fromDate: "2027-02-08", untilDate: "2027-02-08" },
      facts: { ...facts, claims: claimsOf("A", placement) },
      visits: [visit, other],
      weights: builtInWeights,
    };
    const problem = problemFromSnapshot(snapshot, ["A", "B"]);
    const [own, waiting] = problem.visits;
    const index = problem.starts.findIndex(({ clock }) => clock === 605);
    expect(own?.stay).toEqual({ doctor: 0, start: index, option: 0 });
    expect(waiting?.stay).toBeNull();
    expect(problem.treatments[0]?.starts[0]).not.toContain(index);
  });

  it("who began, holds another length or is pinned stays; a pinned visit that breaks a fact is reported", () => {
    const snapshot = busySnapshot("2027-02-08", 4);
    const [first, second, third] = snapshot.visits.filter(({ startsAt }) => startsAt > snapshot.facts.asOf) as [
      VisitFact,
      VisitFact,
      VisitFact,
    ];
    const longer = { ...second, endsAt: toIso(Date.parse(second.endsAt) + 15 * minuteMs) };
    const visits = [first, longer, third, ...snapshot.visits.filter(({ id }) => ![first.id, second.id, third.id].includes(id))];
    const begun = visits.filter(({ startsAt }) => Date.parse(startsAt) < Date.parse(snapshot.facts.asOf)).map(({ id }) => id);
    const problem = problemFromSnapshot(
      { ...snapshot, visits },
      visits.map(({ id }) => id),
      [third.id],
    );
    const moved = new Set(problem.visits.map(({ id }) => id));
    expect([longer.id, third.id, ...begun].filter((id) => moved.has(id))).toEqual([]);
    expect(moved.has(first.id)).toBe(true);
    const all = problemFromSnapshot(snapshot, []);
    expect(all.visits).toEqual([]);
    expect(all.pinnedViolations.length).toBeGreaterThan(0);
  });
});
