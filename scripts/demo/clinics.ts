/** The demo's world: invented clinics, people and devices. Dates are days from the clinic's today, so that the demo never grows old. */

export type Hours = { weekdays: number[]; intervals: [from: string, until: string][] };
export type DemoEquipment = { name: string; kind: "DEVICE" | "ROOM"; quantity: number };
export type DemoTreatment = {
  name: string;
  minutes: number;
  buffers?: [before: number, after: number];
  providerType?: string;
  seats?: number;
  /** all of them; each by any of its alternatives, for `usage` [offset, minutes] of the visit or all of it */
  needs?: { anyOf: string[]; usage?: [offset: number, minutes: number] }[];
};
export type DemoDoctor = { name: string; specialty: string; providerType?: string; seats?: number; hours?: Hours[] };
export type DemoClinic = {
  name: string;
  zone: string;
  gridMinutes: number;
  /** visits of the whole clinic at a time */
  limit?: number;
  hours: Hours[];
  breaks: { from: string; until: string; label: string }[];
  holidays: { day: number; name: string }[];
  closures: { from: [day: number, time: string]; until: [day: number, time: string]; reason: string }[];
  absences: { doctor: string; from: [day: number, time: string]; until: [day: number, time: string]; reason: string }[];
  outages: { equipment: string; units: number; from: [day: number, time: string]; until: [day: number, time: string]; reason: string }[];
  doctors: DemoDoctor[];
  equipment: DemoEquipment[];
  treatments: DemoTreatment[];
};
export type DemoGroup = { name: string; patients: number; clinics: DemoClinic[] };

const MON_TO_FRI = [1, 2, 3, 4, 5];

const berlin: DemoClinic = {
  name: "Harbour Berlin",
  zone: "Europe/Berlin",
  gridMinutes: 15,
  hours: [
    {
      weekdays: MON_TO_FRI,
      intervals: [
        ["08:00", "12:30"],
        ["13:30", "18:00"],
      ],
    },
    { weekdays: [6], intervals: [["09:00", "13:00"]] },
  ],
  breaks: [{ from: "10:30", until: "10:45", label: "Team round" }],
  holidays: [{ day: 11, name: "Founders' day" }],
  closures: [{ from: [4, "15:00"], until: [4, "18:00"], reason: "Fire drill" }],
  absences: [{ doctor: "Dr Mira Aldana", from: [2, "00:00"], until: [4, "00:00"], reason: "Training" }],
  outages: [{ equipment: "Laser", units: 1, from: [1, "08:00"], until: [3, "18:00"], reason: "Maintenance" }],
  doctors: [
    { name: "Dr Mira Aldana", specialty: "Dermatology" },
    { name: "Dr Jonas Feld", specialty: "Dermatology" },
    { name: "Dr Petra Quist", specialty: "Surgery", providerType: "SURGEON" },
    { name: "Timo Rasch", specialty: "Physiotherapy", providerType: "THERAPIST" },
  ],
  equipment: [
    { name: "Laser", kind: "DEVICE", quantity: 2 },
    { name: "Ultrasound", kind: "DEVICE", quantity: 1 },
    { name: "Procedure room", kind: "ROOM", quantity: 1 },
    { name: "Exercise room", kind: "ROOM", quantity: 1 },
  ],
  treatments: [
    { name: "Consultation", minutes: 30, providerType: "DOCTOR" },
    { name: "Follow-up", minutes: 15, providerType: "DOCTOR" },
    { name: "Laser session", minutes: 45, providerType: "DOCTOR", buffers: [0, 15], needs: [{ anyOf: ["Laser"], usage: [5, 35] }] },
    {
      name: "Small procedure",
      minutes: 60,
      providerType: "SURGEON",
      buffers: [15, 15],
      needs: [{ anyOf: ["Procedure room"] }, { anyOf: ["Ultrasound"], usage: [0, 20] }],
    },
    { name: "Physiotherapy", minutes: 30, providerType: "THERAPIST" },
    { name: "Back class", minutes: 60, providerType: "THERAPIST", seats: 6, needs: [{ anyOf: ["Exercise room"] }] },
  ],
};

const newYork: DemoClinic = {
  name: "Harbour Brooklyn",
  zone: "America/New_York",
  gridMinutes: 15,
  hours: [
    { weekdays: [1, 2, 3, 4], intervals: [["09:00", "17:00"]] },
    // the late clinic: its last interval ends on Saturday
    {
      weekdays: [5],
      intervals: [
        ["09:00", "13:00"],
        ["18:00", "01:00"],
      ],
    },
  ],
  breaks: [{ from: "12:00", until: "12:45", label: "Lunch" }],
  holidays: [{ day: 16, name: "Staff day" }],
  closures: [],
  absences: [{ doctor: "Dr Ines Calloway", from: [5, "12:00"], until: [6, "00:00"], reason: "Private" }],
  outages: [],
  doctors: [
    { name: "Dr Ines Calloway", specialty: "Family medicine" },
    { name: "Dr Theo Brandt", specialty: "Family medicine" },
    { name: "Dr Ruth Okafor", specialty: "Dermatology" },
  ],
  equipment: [
    { name: "Ultrasound A", kind: "DEVICE", quantity: 1 },
    { name: "Ultrasound B", kind: "DEVICE", quantity: 1 },
  ],
  treatments: [
    { name: "Consultation", minutes: 30 },
    { name: "Check-up", minutes: 45 },
    { name: "Ultrasound", minutes: 30, needs: [{ anyOf: ["Ultrasound A", "Ultrasound B"] }] },
  ],
};

const seoul: DemoClinic = {
  name: "Harbour Seoul",
  zone: "Asia/Seoul",
  gridMinutes: 10,
  hours: [
    {
      weekdays: MON_TO_FRI,
      intervals: [
        ["09:00", "13:00"],
        ["14:00", "18:30"],
      ],
    },
    { weekdays: [6], intervals: [["09:00", "13:00"]] },
  ],
  breaks: [],
  holidays: [{ day: 8, name: "개원 기념일" }],
  closures: [],
  absences: [],
  outages: [],
  doctors: [
    { name: "박서연", specialty: "Dermatology", seats: 2 },
    { name: "이도윤", specialty: "Dermatology" },
    { name: "최하린", specialty: "Aesthetics" },
  ],
  equipment: [{ name: "IPL", kind: "DEVICE", quantity: 2 }],
  treatments: [
    { name: "상담", minutes: 20 },
    { name: "피부 진료", minutes: 30 },
    { name: "IPL 시술", minutes: 40, buffers: [0, 10], needs: [{ anyOf: ["IPL"], usage: [10, 20] }] },
  ],
};

const kathmandu: DemoClinic = {
  name: "Ridge Kathmandu",
  zone: "Asia/Kathmandu",
  gridMinutes: 15,
  hours: [{ weekdays: [7, 1, 2, 3, 4, 5], intervals: [["09:30", "16:30"]] }],
  breaks: [{ from: "12:30", until: "13:00", label: "Lunch" }],
  holidays: [],
  closures: [{ from: [12, "00:00"], until: [15, "00:00"], reason: "Renovation" }],
  absences: [],
  outages: [],
  doctors: [
    { name: "Dr Asha Thapa", specialty: "General medicine" },
    { name: "Dr Bikram Lama", specialty: "General medicine" },
  ],
  equipment: [],
  treatments: [
    { name: "Consultation", minutes: 30 },
    { name: "Vaccination", minutes: 15 },
  ],
};

const lordHowe: DemoClinic = {
  name: "Ridge Lord Howe",
  zone: "Australia/Lord_Howe",
  gridMinutes: 15,
  limit: 2,
  hours: [{ weekdays: MON_TO_FRI, intervals: [["09:00", "15:00"]] }],
  breaks: [],
  holidays: [],
  closures: [],
  absences: [],
  outages: [],
  doctors: [
    { name: "Dr Callum Reyes", specialty: "General medicine" },
    { name: "Dr Nell Ashby", specialty: "General medicine" },
    { name: "Sam Porter", specialty: "Nursing", providerType: "NURSE" },
  ],
  equipment: [],
  treatments: [
    { name: "Consultation", minutes: 30, providerType: "DOCTOR" },
    { name: "Wound care", minutes: 30, providerType: "NURSE" },
  ],
};

export const DEMO_GROUPS: DemoGroup[] = [
  { name: "Harbour Clinics", patients: 220, clinics: [berlin, newYork, seoul] },
  { name: "Ridge Health", patients: 70, clinics: [kathmandu, lordHowe] },
];
