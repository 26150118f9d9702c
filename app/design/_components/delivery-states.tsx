"use client";

import { QueueCards } from "@/app/(staff)/operations/delivery/_components/queue-cards";
import { QueueTable } from "@/app/(staff)/operations/delivery/_components/queue-table";
import type { RowEnd } from "@/app/(staff)/operations/delivery/_components/row-result";
import { useSelection } from "@/app/(staff)/operations/delivery/_components/use-selection";
import { WorkerTable } from "@/app/(staff)/operations/delivery/_components/worker-table";
import { health, queue } from "./delivery-samples";
import { Part } from "./part";
import { at, zone } from "./samples";

const counts = { DECISION: 2, WAITING: 3, SETTLED: 2 };
const clock = { nowMs: at, manyZones: false };
const nothing = () => {};
const noEnds = new Map<string, RowEnd>();

/** The parts of the console, each in each of its states. */
export function DeliveryStates() {
  return (
    <div className="grid content-start gap-6">
      <Part name="QueueTable">
        <QueueTable
          isRange={false}
          rows={queue}
          counts={counts}
          openId="QUARANTINED"
          focusId={null}
          clock={clock}
          selection={useSelection(queue)}
          ends={noEnds}
          onOpen={nothing}
          onFocusRow={nothing}
        />
      </Part>
      <Part name="WorkerTable">
        <WorkerTable health={health} zone={zone} />
      </Part>
      {/* drawn below 768 px, in place of the table */}
      <Part name="QueueCards">
        <QueueCards isRange={false} rows={queue} counts={counts} clock={clock} ends={noEnds} onOpen={nothing} />
      </Part>
    </div>
  );
}
