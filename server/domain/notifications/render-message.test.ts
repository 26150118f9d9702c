import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { type MessageFacts, renderMessage } from "./render-message";

const facts = (over: Partial<MessageFacts> = {}): MessageFacts => ({
  kind: "BOOKED",
  language: "en",
  patientName: "Mina Example",
  clinicName: "Clinic BER",
  zone: "Europe/Berlin",
  doctorName: "Doctor 1",
  appointmentRef: "APT-7F3K2M",
  isRequest: false,
  startsAt: Temporal.Instant.from("2027-07-06T13:00:00Z"),
  ...over,
});

describe("a message to a patient", () => {
  it("says clinic time with its zone, to the byte (H-C4)", () => {
    expect(renderMessage(facts())).toEqual({
      subject: "Your appointment: Tuesday 6 July 2027, 15:00 (Europe/Berlin, UTC+02:00) · Clinic BER",
      body: [
        "Hello Mina Example,",
        "",
        "your appointment is booked:",
        "",
        "Tuesday 6 July 2027, 15:00 (Europe/Berlin, UTC+02:00)",
        "Clinic BER",
        "with Doctor 1",
        "Appointment number: APT-7F3K2M",
        "",
      ].join("\n"),
    });
  });

  it("speaks Korean to who reads Korean, and greets who gave no name", () => {
    const { subject, body } = renderMessage(facts({ language: "ko", zone: "Asia/Seoul", patientName: null, kind: "MOVED" }));
    expect(subject).toBe("예약 시간 변경: 2027년 7월 6일(화) 22:00 (Asia/Seoul, UTC+09:00) · Clinic BER");
    expect(body.startsWith("안녕하세요.\n\n예약 시간이 다음과 같이 변경되었습니다.\n")).toBe(true);
  });

  it("tells the two readings of a repeated hour apart", () => {
    const at = (iso: string) => renderMessage(facts({ startsAt: Temporal.Instant.from(iso) })).subject;
    expect(at("2027-10-31T00:30:00Z")).toContain("02:30 (Europe/Berlin, UTC+02:00)");
    expect(at("2027-10-31T01:30:00Z")).toContain("02:30 (Europe/Berlin, UTC+01:00)");
  });

  it("a move of a request says that it is not confirmed", () => {
    expect(renderMessage(facts({ kind: "MOVED", isRequest: true })).body).toContain("It is not confirmed yet.");
    expect(renderMessage(facts({ kind: "MOVED" })).body).not.toContain("not confirmed");
  });

  it("a line break in a name adds no line", () => {
    const { subject, body } = renderMessage(facts({ patientName: "A\r\nB", clinicName: "C\nBcc: x@example.invalid" }));
    expect(subject).not.toMatch(/[\r\n]/);
    expect(body.split("\n")[0]).toBe("Hello A B,");
  });

  it("throws for a zone that does not exist", () => {
    expect(() => renderMessage(facts({ zone: "Nowhere/Else" }))).toThrow(RangeError);
  });
});
