"use client";

import { AffectedList } from "@/app/(desk)/desk/_components/facts/affected-list";
import { FactList } from "@/app/(desk)/desk/_components/facts/fact-list";
import { FactProblemNotice } from "@/app/(desk)/desk/_components/facts/fact-problem";
import { LikelyDuplicates } from "@/app/(desk)/desk/_components/likely-duplicates";
import { SlotList } from "@/app/(desk)/desk/_components/slot-list";
import type { BookingForm } from "@/app/(desk)/desk/_components/use-booking-form";
import { WishedTime } from "@/app/(desk)/desk/_components/wished-time";
import { YouAreBooking } from "@/app/(desk)/desk/_components/you-are-booking";
import { affected, blockers, facts, openDay, people, slots, visitOf } from "./desk-samples";
import { Part } from "./part";
import { QuietQueries, type Seed } from "./quiet-queries";
import { zone } from "./samples";

const nothing = () => {};
const { clinic, date, asOf } = openDay;
const [startsAt, endsAt] = [visitOf("CONFIRMED").startsAt, visitOf("CONFIRMED").endsAt];
const form: BookingForm = {
  patient: people.marked,
  treatmentId: "t1",
  doctorId: "any",
  date,
  time: "",
  utcOffset: "",
  startsAt: "",
  likelyDoctorId: "d1",
};
const wish = { treatmentId: "t1", doctorId: "any", date, clock: null, patientId: null, ignoreAppointmentId: null };
/** Wished times, each with another answer. */
const ends = {
  "14:00": { asOf, end: "FREE", startsAt, endsAt, doctorId: "d1", equipmentIds: [] },
  "14:20": { asOf, end: "BLOCKED", startsAt, endsAt, blockers },
  "02:20": { asOf, end: "AMBIGUOUS", choices: ["+02:00", "+01:00"].map((utcOffset) => ({ startsAt, utcOffset })) },
  "02:40": { asOf, end: "NONEXISTENT" },
} as const;
const answers: Seed = (client, trpc) => {
  const subject = { clinicId: clinic.id, treatmentId: "t1", doctorId: null, patientId: "p1", ignoreAppointmentId: null };
  for (const [clock, end] of Object.entries(ends)) {
    const key = trpc.desk.check.queryKey({ ...subject, local: `${date}T${clock}`, utcOffset: null });
    client.setQueryData(key, structuredClone(end) as never);
  }
  const asked = { clinicId: clinic.id, treatmentId: "t1", doctorId: null, patientId: null, ignoreAppointmentId: null, days: 7 };
  client.setQueryData(trpc.desk.slots.queryKey({ ...asked, fromDate: date }), { slots, zone, asOf });
  client.setQueryData(trpc.desk.slots.queryKey({ ...asked, fromDate: "2026-08-19" }), { slots: [], zone, asOf });
  client.setQueryData(trpc.desk.patient.queryKey({ clinicId: clinic.id, patientId: "p1" }), people.marked);
};

/** What a booking asks and is told, and facts of a doctor or device with what they leave without a place. */
export function FactStates() {
  const wished = { day: openDay, locked: false, missingDate: false, ignoreAppointmentId: null, onChange: nothing };
  const list = { day: openDay, chosen: startsAt, missing: false, onChoose: nothing };
  return (
    <QuietQueries seed={answers}>
      <Part name="WishedTime, YouAreBooking">
        <div className="form" style={{ padding: 0 }}>
          {Object.keys(ends).map((time) => (
            <WishedTime key={time} {...wished} form={{ ...form, time }} />
          ))}
          <WishedTime {...wished} form={{ ...form, time: "25", date: "" }} missingDate />
          <WishedTime {...wished} form={{ ...form, time: "14:00" }} locked />
          <YouAreBooking day={openDay} form={{ ...form, startsAt }} equipmentIds={["e1"]} moving={false} plain />
          <YouAreBooking day={openDay} form={{ ...form, startsAt }} equipmentIds={[]} moving plain />
        </div>
      </Part>
      <Part name="SlotList">
        <div className="form" style={{ padding: 0 }}>
          <SlotList {...list} wish={wish} />
          <SlotList {...list} wish={{ ...wish, date: "2026-08-19" }} missing />
          <SlotList {...list} wish={{ ...wish, date: "2026-08-20" }} />
          <SlotList {...list} wish={{ ...wish, treatmentId: "" }} />
        </div>
      </Part>
      <Part name="LikelyDuplicates">
        <LikelyDuplicates clinicId={clinic.id} ids={["p1"]} typedName="Marta Lindquist" typedPhone="" onChoose={nothing} />
      </Part>
      <Part name="FactList, AffectedList, FactProblemNotice">
        <div className="border border-line">
          <FactList facts={facts} zone={zone} busy={false} offBecause={undefined} onChange={nothing} onEnd={nothing} />
          <FactList facts={[]} zone={zone} busy={false} offBecause={undefined} onChange={nothing} onEnd={nothing} />
        </div>
        <AffectedList affected={affected} day={openDay} />
        <AffectedList affected={{ count: 0, visits: [], days: [] }} day={openDay} />
        <FactProblemNotice problem={{ code: "request-invalid", why: "PERIOD_EMPTY" }} />
        <FactProblemNotice problem="lost" />
      </Part>
    </QuietQueries>
  );
}
