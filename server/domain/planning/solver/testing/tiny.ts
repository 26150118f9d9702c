// Eight instances whose optimum can be proven by hand, and was found by enumerating every plan.
import { type DaySpan, type Instance, type InstanceVisit, usualWeights } from "./instance";

const day = (from: number, until: number, on = 0): DaySpan => ({ day: on, from, until });
const [morning, hour10, noon] = [540, 600, 720];
const wholeMorning = day(morning, noon);

const clinic = (name: string, rest: Partial<Instance>): Instance => ({
  name,
  grid: 30,
  days: 1,
  opens: morning,
  closes: noon,
  clinicLimit: null,
  doctorLimit: 1,
  closed: [],
  doctors: [],
  equipment: [],
  treatments: [{ id: 1, minutes: 30, type: "DOCTOR", limit: null, options: [] }],
  visits: [],
  weights: { ...usualWeights, loadPair: 0 },
  ...rest,
});

const doctor = (id: number, shifts: DaySpan[], rest: { limit?: number; absences?: DaySpan[] } = {}) => {
  return { id, type: "DOCTOR", limit: rest.limit ?? null, shifts, absences: rest.absences ?? [] };
};
const away = (id: number) => doctor(id, [wholeMorning], { absences: [wholeMorning] });
const here = (id: number) => doctor(id, [wholeMorning]);

const visit = (id: number, rest: Partial<InstanceVisit> = {}): InstanceVisit => ({
  id,
  treatment: 1,
  patient: id,
  pinned: false,
  told: true,
  priority: 1,
  current: null,
  preferredDoctor: null,
  requestedDay: null,
  window: null,
  ...rest,
});
const at = (doctorId: number, start: number) => ({ current: { doctor: doctorId, day: 0, start, option: 0 } });

export const tinyInstances: { instance: Instance; optimum: number; why: string }[] = [
  {
    instance: clinic("an absence: same time, other doctor", {
      doctors: [away(1), here(2)],
      visits: [visit(1, at(1, morning)), visit(2, at(2, 570))],
    }),
    optimum: 300,
    why: "keeping 09:00 with doctor 2 costs a change of doctor; any other place moves the time too, which is at least 1300",
  },
  {
    instance: clinic("the one who was not told moves", {
      doctors: [away(1), here(2)],
      visits: [visit(1, at(1, morning)), visit(2, { ...at(2, morning), told: false })],
    }),
    optimum: 502,
    why: "visit 1 keeps 09:00 with doctor 2 (300), visit 2 moves half an hour (200 + 2); the other way round costs 300 + 1002",
  },
  {
    instance: clinic("a device out", {
      doctors: [here(1), here(2), here(3)],
      equipment: [{ id: 1, quantity: 2, outages: [{ ...day(morning, hour10), units: 1 }] }],
      treatments: [{ id: 1, minutes: 30, type: "DOCTOR", limit: null, options: [[1]] }],
      visits: [1, 2, 3].map((id) => visit(id, at(id, morning))),
    }),
    optimum: 2006,
    why: "one unit works until 10:00: one stays, one goes to 09:30 (1002), one to 10:00 (1004)",
  },
  {
    instance: clinic("the least limit among those present", {
      closes: 660,
      doctors: [doctor(1, [day(morning, 660)], { limit: 2 })],
      treatments: [
        { id: 1, minutes: 30, type: "DOCTOR", limit: null, options: [] },
        { id: 2, minutes: 60, type: "DOCTOR", limit: 3, options: [] },
      ],
      visits: [...[1, 2, 3].map((id) => visit(id, { ...at(1, morning), treatment: 2, pinned: true })), visit(4, at(1, morning))],
    }),
    optimum: 1004,
    why: "three of a group with limit 3 are there until 10:00; a single visit has the doctor's limit 2 and may join neither three nor two",
  },
  {
    instance: clinic("too much to place", {
      closes: hour10,
      doctors: [doctor(1, [day(morning, hour10)])],
      visits: [visit(1), visit(2), visit(3, { priority: 2 })],
    }),
    optimum: 100_000,
    why: "an hour holds two of three; never the one of priority 2 is left out",
  },
  {
    instance: clinic("load against wishes", {
      closes: 660,
      doctors: [1, 2].map((id) => doctor(id, [day(morning, 660)])),
      visits: [visit(1, { preferredDoctor: 1 }), visit(2, { preferredDoctor: 1 }), visit(3), visit(4)],
      weights: usualWeights,
    }),
    optimum: 10,
    why: "two each: 5 + 5; three and one cost 15, an unmet wish 300",
  },
  {
    instance: clinic("a break, a closure, a pin and a window", {
      days: 3,
      opens: 690,
      closes: 870,
      closed: [day(noon, 780), day(690, 870, 1), day(noon, 780, 2)],
      doctors: [doctor(1, [day(690, 870), day(690, 870, 1), day(690, 870, 2)])],
      treatments: [
        { id: 1, minutes: 60, type: "DOCTOR", limit: null, options: [] },
        { id: 2, minutes: 30, type: "DOCTOR", limit: null, options: [] },
      ],
      visits: [visit(1, { requestedDay: 0, window: { from: 810, until: 870 } }), visit(2, { treatment: 2, pinned: true, ...at(1, 810) })],
    }),
    optimum: 200,
    why: "13:30 of the wished day is pinned, the next day is closed, the one after costs two days; 13:00 would cost 50 more",
  },
  {
    instance: clinic("one patient, two places", {
      doctors: [away(1), here(2), here(3)],
      visits: [visit(1, { ...at(1, morning), patient: 7 }), visit(2, { ...at(3, morning), patient: 7, pinned: true })],
    }),
    optimum: 1302,
    why: "the patient is with doctor 3 at 09:00, so the cheapest is 09:30 with another doctor: 300 + 1002",
  },
];
