"use client";

import Link from "next/link";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { buttonClass } from "@/app/_components/button-class";
import { Icon } from "@/app/_components/icon";
import type { ByPeople } from "@/server/domain/drills/record-by-people";
import { whyWords } from "./drill-dictionary";
import { isUnderWay, type ListedDrill } from "./listed-drill";
import { RecordForm } from "./record-form";

type Props = {
  drill: ListedDrill;
  online: boolean;
  isSending: boolean;
  onStart(): void;
  onStop(run: string): void;
  onRecord(held: ByPeople): void;
};

/** One line with what will happen or why it is off; start or stop, the runbook, and the form for a drill that people carried out. */
export function DrillActions({ drill, online, isSending, onStart, onStop, onRecord }: Props) {
  const t = useTranslations();
  const [isRecording, setRecording] = useState(false);
  const { name, run, runbook } = drill;
  const stops = isUnderWay(drill);
  const action = (stops && drill.stop) || drill.start;
  const why = action.allowed ? (online ? null : "OFFLINE") : action.why;
  const note = why ? t(whyWords[why], { right: "STAFF" }) : t(stops ? "drill.stopNote" : "drill.startNote");
  if (isRecording)
    return (
      <RecordForm
        isSending={isSending}
        onCancel={() => setRecording(false)}
        onRecord={(held) => {
          setRecording(false);
          onRecord(held);
        }}
      />
    );
  return (
    <div className="act">
      <p className="why" id="drill-why">
        <Icon name={why ? "lock" : "info"} />
        <span>{note}</span>
      </p>
      <div className="rowb">
        <Button
          size="lg"
          className="grow"
          busy={isSending || undefined}
          offBecause={why ? "drill-why" : undefined}
          onClick={() => (stops && run ? onStop(run.id) : onStart())}
        >
          {t(stops ? "drill.stop" : "drill.start")}
        </Button>
        <Link className={buttonClass({ size: "lg" })} href={`/operations/drills/runbook/${name}`} prefetch={false}>
          <Icon name="ext" />
          {t("drill.openRunbook", { runbook })}
        </Link>
      </div>
      {!stops && (
        <div className="rowb">
          <Button look="quiet" size="sm" onClick={() => setRecording(true)}>
            {t("drill.record.open")}
          </Button>
        </div>
      )}
    </div>
  );
}
