// A snapshot made by hand, with at least one fact of every kind, for tests of its version.
import { deviceFact, doctorFact, factsWith, needFact, periodFact, treatmentFact } from "../../clinics/testing-facts";
import type { PlanningSnapshot } from "./types";
import { builtInWeights } from "./weights";

const zone = "Europe/Berlin";
const range = { clinicId: "c", fromDate: "2027-02-08", untilDate: "2027-02-12" };

/** Two doctors, two devices, and everything that can stand in the way of a visit. Nothing in it is shared: a test may change each part. */
export function fullSnapshot(): PlanningSnapshot {
  return JSON.parse(
    JSON.stringify({
      range,
      facts: factsWith({
        clinic: { resource: { id: "r-c", seats: 4 } },
        doctors: [doctorFact("D1"), doctorFact("D2", { seats: 2 })],
        equipment: [deviceFact("E1"), deviceFact("E2", { quantity: 3 })],
        treatments: [
          treatmentFact("V15", 15, { seats: 2, providerType: "DOCTOR" }),
          treatmentFact("V30", 30, { needs: [needFact(["E1", "E2"], { usageMinutes: 20 }), needFact(["E2"], { position: 1 })] }),
        ],
        closures: [{ ...periodFact(zone, "2027-02-09T10:00", "2027-02-09T11:00"), id: "c1" }],
        absences: [{ ...periodFact(zone, "2027-02-10T09:00", "2027-02-10T12:00"), doctorId: "D1" }],
        outages: [{ ...periodFact(zone, "2027-02-11T09:00", "2027-02-11T12:00"), resourceId: "r-E1", units: 1 }],
        breaks: [
          { id: "b1", doctorId: null, weekday: null, from: "10:30", until: "10:45", label: "Tea", version: "1" },
          { id: "b2", doctorId: "D2", weekday: 2, from: "15:00", until: "15:15", label: "Tea", version: "1" },
        ],
        holidays: [{ date: "2027-02-12", name: "Founders" }],
      }),
      visits: [],
      weights: builtInWeights,
    }),
  );
}
