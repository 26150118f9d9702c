import type { Temporal } from "temporal-polyfill";
import type { IntentKind } from "./intent-kind";

/** What a text is made from, read when it is sent. No treatment and no reason: mail travels over machines that are nobody's clinic. */
export type MessageFacts = {
  kind: IntentKind;
  language: string;
  patientName: string | null;
  clinicName: string;
  /** IANA zone of the clinic, never of the reader or of who booked (H-C4). */
  zone: string;
  doctorName: string;
  appointmentRef: string;
  /** The visit waits for the clinic's answer. */
  isRequest: boolean;
  startsAt: Temporal.Instant;
};

type Text = { subject: string; body: string };
type Words = {
  greeting: (name: string | null) => string;
  title: Record<IntentKind, string>;
  line: Record<IntentKind, string>;
  notConfirmed: string;
};

const en: Words = {
  greeting: (name) => (name ? `Hello ${name},` : "Hello,"),
  title: {
    BOOKED: "Your appointment",
    REQUESTED: "Your request",
    CONFIRMED: "Appointment confirmed",
    MOVED: "Your appointment has a new time",
    CANCELLED: "Appointment cancelled",
    REMINDER: "Reminder of your appointment",
  },
  line: {
    BOOKED: "your appointment is booked:",
    REQUESTED: "we have received your request. We will tell you when it is confirmed:",
    CONFIRMED: "your appointment is confirmed:",
    MOVED: "your appointment now takes place at:",
    CANCELLED: "your appointment has been cancelled:",
    REMINDER: "we remind you of your appointment:",
  },
  notConfirmed: "It is not confirmed yet. We will tell you.",
};

const ko: Words = {
  greeting: (name) => (name ? `${name} 님, 안녕하세요.` : "안녕하세요."),
  title: {
    BOOKED: "예약 안내",
    REQUESTED: "예약 요청 접수",
    CONFIRMED: "예약 확정",
    MOVED: "예약 시간 변경",
    CANCELLED: "예약 취소",
    REMINDER: "예약 알림",
  },
  line: {
    BOOKED: "예약이 완료되었습니다.",
    REQUESTED: "예약 요청을 받았습니다. 확정되면 다시 알려 드리겠습니다.",
    CONFIRMED: "예약이 확정되었습니다.",
    MOVED: "예약 시간이 다음과 같이 변경되었습니다.",
    CANCELLED: "예약이 취소되었습니다.",
    REMINDER: "예약을 다시 알려 드립니다.",
  },
  notConfirmed: "아직 확정되지 않았습니다. 확정되면 알려 드리겠습니다.",
};

/**
 * Subject and text in the patient's language, in the clinic's time with its zone named. Pure; throws RangeError for a zone that does not exist.
 * Months and weekdays are spelt here and not by Intl, whose spaces and commas change between versions of Node: the same visit gives the same bytes.
 */
export function renderMessage(facts: MessageFacts): Text {
  const korean = facts.language === "ko";
  const words = korean ? ko : en;
  const when = korean ? koreanTime(facts.startsAt, facts.zone) : englishTime(facts.startsAt, facts.zone);
  const where = korean ? [`장소: ${facts.clinicName}`, `담당: ${facts.doctorName}`] : [facts.clinicName, `with ${facts.doctorName}`];
  const number = korean ? `예약 번호: ${facts.appointmentRef}` : `Appointment number: ${facts.appointmentRef}`;
  const open = facts.isRequest && facts.kind === "MOVED" ? [words.notConfirmed] : [];
  return {
    subject: oneLine(`${words.title[facts.kind]}: ${when} · ${facts.clinicName}`),
    body: `${[words.greeting(facts.patientName), "", words.line[facts.kind], "", when, ...where, number, ...open].map(oneLine).join("\n")}\n`,
  };
}

const months = "January February March April May June July August September October November December".split(" ");
const weekdays = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
const koreanWeekdays = "월화수목금토일";

/** Tuesday 6 July 2027, 15:00 (Europe/Berlin, UTC+02:00). The offset tells the two readings of a repeated hour apart. */
function englishTime(at: Temporal.Instant, zone: string): string {
  const local = at.toZonedDateTimeISO(zone);
  return `${weekdays[local.dayOfWeek - 1]} ${local.day} ${months[local.month - 1]} ${local.year}, ${clockAndZone(local)}`;
}

function koreanTime(at: Temporal.Instant, zone: string): string {
  const local = at.toZonedDateTimeISO(zone);
  return `${local.year}년 ${local.month}월 ${local.day}일(${koreanWeekdays[local.dayOfWeek - 1]}) ${clockAndZone(local)}`;
}

function clockAndZone(local: Temporal.ZonedDateTime): string {
  const clock = local.toPlainTime().toString({ smallestUnit: "minute" });
  return `${clock} (${local.timeZoneId}, UTC${local.offset})`;
}

/** A name with a line break in it would add a header line to a mail, or a line to its text. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
