"use client";

import { useTranslations } from "next-intl";
import { Icon } from "@/app/_components/icon";
import { appointmentStates } from "@/app/_components/state-dictionary";
import { BlockerList } from "@/app/(desk)/desk/_components/blocker-list";
import { CalendarBlocks } from "@/app/(desk)/desk/_components/calendar-blocks";
import { ChangedElsewhere } from "@/app/(desk)/desk/_components/changed-elsewhere";
import { ChosenTime } from "@/app/(desk)/desk/_components/chosen-time";
import { DayCounts } from "@/app/(desk)/desk/_components/day-counts";
import { PatientMatch } from "@/app/(desk)/desk/_components/patient-match";
import { SafeRetry } from "@/app/(desk)/desk/_components/safe-retry";
import { VisitBlock } from "@/app/(desk)/desk/_components/visit-block";
import type { AppointmentState } from "@/server/domain/appointments/states";
import { blockers, blocks, blocksFrom, change, pending, people, tries, visitOf } from "./desk-samples";
import { Part } from "./part";
import { zone } from "./samples";

const states = Object.keys(appointmentStates) as AppointmentState[];
const nothing = () => {};
const choice = {
  startsAt: visitOf("CONFIRMED").startsAt,
  endsAt: visitOf("CONFIRMED").endsAt,
  doctorId: "d1",
  equipmentIds: [],
  label: "Marta Lindqvist · Wound care",
};

/** The parts of the desk, each in each of its states. */
export function DeskStates() {
  const t = useTranslations();
  return (
    <div className="grid content-start gap-6">
      <Part name="VisitBlock">
        {[28, 40, 56].map((height) => (
          <div key={height} className="grid grid-cols-4 gap-2">
            {states.map((state) => (
              <div key={state} className="relative" style={{ height }}>
                <VisitBlock
                  visit={visitOf(state)}
                  doctor="D-01"
                  zone={zone}
                  open={state === "CONFIRMED" && height === 56}
                  top={0}
                  height={height}
                  offset={state === "REQUESTED" ? "+02:00" : undefined}
                  onOpen={nothing}
                />
              </div>
            ))}
          </div>
        ))}
      </Part>
      <Part name="ChosenTime, CalendarBlocks">
        <div className="grid grid-cols-2 gap-2">
          {[false, true].map((sent) => (
            <div key={String(sent)} className="relative h-14">
              <ChosenTime
                choice={{ ...choice, sent }}
                usedBy={null}
                zone={zone}
                y={(ms) => ((ms - Date.parse(choice.startsAt)) / 3_600_000) * 76}
              />
            </div>
          ))}
        </div>
        <div className="cal" style={{ height: 9 * 40 }}>
          <CalendarBlocks blocks={blocks} zone={zone} columnId={null} y={(ms) => ((ms - blocksFrom) / 3_600_000) * 40} />
        </div>
      </Part>
      <Part name="DayCounts">
        <DayCounts
          label={t("desk.counts")}
          visits={states.flatMap((status, n) => Array.from({ length: n + 1 }, (_, i) => ({ id: `${status}${i}`, status })))}
          state="CONFIRMED"
          onFilter={nothing}
          onNext={nothing}
          onPrint={nothing}
          load={null}
          zone={zone}
        />
        <DayCounts label={t("desk.weekCounts")} visits={[]} state={null} onFilter={nothing} load={null} zone={zone} />
      </Part>
      <Part name="PatientMatch">
        <div className="pts">
          <PatientMatch patient={people.marked} typed="lindq marta 172" onChoose={nothing} />
          <PatientMatch patient={people.sameAsAbove} typed="lindq" likelySame onChoose={nothing} />
          <PatientMatch patient={people.never} typed="+49 172" alike onChoose={nothing} />
        </div>
      </Part>
      <Part name="BlockerList, ChangedElsewhere">
        <div className="blk3">
          <span className="h">
            <Icon name="fail" />
            {t("desk.isNotFree", { range: "21:00–21:30" })}
          </span>
          <BlockerList blockers={blockers} zone={zone} />
        </div>
        <ChangedElsewhere entry={change} zone={zone} onRead={nothing} />
      </Part>
      <Part name="SafeRetry">
        <SafeRetry pending={pending} tries={tries} sending zone={zone} onRetry={nothing} onLookUp={nothing} />
      </Part>
    </div>
  );
}
