"use client";

import { useEffect, useRef } from "react";
import { BookingDrawer } from "@/app/(desk)/desk/_components/booking-drawer";
import type { BookingForm } from "@/app/(desk)/desk/_components/use-booking-form";
import { blockers, openDay, pending, tries, visitOf } from "./desk-samples";
import { QuietQueries } from "./quiet-queries";

const nothing = () => {};
const empty: BookingForm = {
  patient: null,
  treatmentId: "",
  doctorId: "any",
  date: openDay.date,
  time: "",
  utcOffset: "",
  startsAt: "",
  likelyDoctorId: null,
};
const filled: BookingForm = {
  ...empty,
  patient: { id: "p1", ref: "PT-6RM100", name: "Marta Lindqvist" },
  treatmentId: "t1",
  startsAt: visitOf("CONFIRMED").startsAt,
  likelyDoctorId: "d1",
};
const act = { send: nothing, retry: nothing, lookUp: async () => {} };
const idle = { phase: "idle" as const, pending: null, tries: [], ...act };
const unanswered = { phase: "unanswered" as const, pending, tries, ...act };
const refusal = { code: "slot-taken", blockers };

/** The drawer of a booking: fields that are missing, a refusal by name, and an answer that did not come. */
export function BookingStage({ state }: { state: "missing" | "refused" | "unanswered" }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (state === "missing") place.current?.querySelector<HTMLElement>(".act .primary")?.click();
  }, [state]);
  return (
    <main id="content" ref={place} className="main full" style={{ width: 400, height: 860 }}>
      <QuietQueries>
        <BookingDrawer
          day={openDay}
          form={state === "missing" ? empty : filled}
          onChange={nothing}
          onClear={nothing}
          onClose={nothing}
          onSubmit={nothing}
          command={state === "unanswered" ? unanswered : idle}
          refusal={state === "refused" ? refusal : null}
          moving={null}
          equipmentIds={["e1"]}
          hold={null}
        />
      </QuietQueries>
    </main>
  );
}
