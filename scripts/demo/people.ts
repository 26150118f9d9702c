import type { Random } from "@/scripts/demo/random";
import type { Role } from "@/server/domain/scope/actor";

/** One sign-in for each role; `clinic` is the place in the group, undefined: all clinics of the group. For loopback only. */
export const DEMO_PASSWORD = "appointment-demo";
export type DemoUser = {
  email: string;
  name: string;
  group: number;
  roles: [role: Role, clinic?: number][];
  locale: "en" | "ko";
  says: string;
};

export const DEMO_USERS: DemoUser[] = [
  { email: "desk@harbour.example", name: "Lena Voss", group: 0, roles: [["FRONT_DESK", 0]], locale: "en", says: "Front desk, Berlin" },
  {
    email: "desk.brooklyn@harbour.example",
    name: "Marcus Bell",
    group: 0,
    roles: [["FRONT_DESK", 1]],
    locale: "en",
    says: "Front desk, Brooklyn",
  },
  {
    email: "desk.seoul@harbour.example",
    name: "김지우",
    group: 0,
    roles: [["FRONT_DESK", 2]],
    locale: "ko",
    says: "Front desk, Seoul (Korean)",
  },
  { email: "staff@harbour.example", name: "Noor Haddad", group: 0, roles: [["STAFF"]], locale: "en", says: "Staff, all Harbour clinics" },
  {
    email: "replay@harbour.example",
    name: "Emil Sorge",
    group: 0,
    roles: [["STAFF"], ["APPOINTMENT_REPLAY_OPERATOR"]],
    locale: "en",
    says: "Staff and replay operator",
  },
  {
    email: "author@harbour.example",
    name: "Carla Mendes",
    group: 0,
    roles: [["STAFF"], ["POLICY_AUTHOR"]],
    locale: "en",
    says: "Policy author",
  },
  {
    email: "approver@harbour.example",
    name: "Ivo Brandt",
    group: 0,
    roles: [["STAFF"], ["POLICY_APPROVER"]],
    locale: "en",
    says: "Policy approver",
  },
  { email: "admin@harbour.example", name: "Greta Lund", group: 0, roles: [["ADMIN"]], locale: "en", says: "Administrator" },
  {
    email: "desk@ridge.example",
    name: "Tara Gurung",
    group: 1,
    roles: [["FRONT_DESK", 0]],
    locale: "en",
    says: "Front desk, Kathmandu (another tenant group)",
  },
  {
    email: "desk.lordhowe@ridge.example",
    name: "Kit Farrow",
    group: 1,
    roles: [["FRONT_DESK", 1]],
    locale: "en",
    says: "Front desk, Lord Howe (another tenant group)",
  },
  {
    email: "staff@ridge.example",
    name: "Owen Marsh",
    group: 1,
    roles: [["STAFF"]],
    locale: "en",
    says: "Staff, Ridge clinics (another tenant group)",
  },
];

const GIVEN = [
  "Ada",
  "Bruno",
  "Clara",
  "Dario",
  "Elif",
  "Farid",
  "Gerda",
  "Hugo",
  "Ines",
  "Jakob",
  "Kaya",
  "Leo",
  "Maja",
  "Nils",
  "Olga",
  "Paul",
  "Rosa",
  "Sami",
  "Tilda",
  "Yara",
];
const FAMILY = [
  "Amsel",
  "Birke",
  "Castell",
  "Dorn",
  "Eibe",
  "Falk",
  "Ginster",
  "Hasel",
  "Ilex",
  "Kiesel",
  "Linde",
  "Mohn",
  "Nessel",
  "Otter",
  "Quell",
  "Reiher",
  "Sperling",
  "Taube",
  "Ulme",
  "Wiesel",
];
const GIVEN_KO = ["서준", "하윤", "도현", "지안", "시우", "채원", "은우", "다은"];
const FAMILY_KO = ["김", "이", "박", "최", "정", "강"];

export type DemoPatient = { name: string; phone: string; email: string; birthDate: string; language: "en" | "ko" };

/** An invented person: names of plants and birds, telephone numbers and mail addresses that reach nobody. */
export function newPatient(random: Random, position: number): DemoPatient {
  const korean = random.chance(0.25);
  const name = korean ? `${random.pick(FAMILY_KO)}${random.pick(GIVEN_KO)}` : `${random.pick(GIVEN)} ${random.pick(FAMILY)}`;
  const two = (n: number) => String(n).padStart(2, "0");
  return {
    name,
    phone: `+1 555 01${two(random.below(100))} ${String(position).padStart(3, "0")}`,
    email: `patient${position}@example.invalid`,
    birthDate: `${1940 + random.below(75)}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`,
    language: korean ? "ko" : "en",
  };
}
