"use client";

import { Rail } from "@/app/_components/frame/rail";
import { TopBar } from "@/app/_components/frame/top-bar";
import { Part } from "./part";
import { QuietQueries, type Seed } from "./quiet-queries";
import { frameOf } from "./samples";

const badges: Seed = (client, trpc) => {
  client.setQueryData(trpc.delivery.needsDecision.queryKey({ clinic: undefined }), 7);
  client.setQueryData(trpc.planningViews.needsDecision.queryKey({ clinic: undefined }), 120);
};

const everything = ["STAFF", "APPOINTMENT_REPLAY_OPERATOR", "FRONT_DESK"];
const desk = ["FRONT_DESK"];
/** Of its own layer, so that on a phone its navigation is fixed to it and not to the page. */
const own = (height: number, width?: number) => ({ height, width, transform: "translateZ(0)", gridTemplateColumns: "minmax(0, 1fr)" });

/** The frame of a person who holds every place, and of a desk. */
export function FrameStates() {
  return (
    <QuietQueries seed={badges}>
      <div className="flex gap-6">
        <Part name="Rail" tight>
          <div className="app border border-line" style={own(460, 66)}>
            <Rail roles={everything} />
          </div>
        </Part>
        <Part name="Rail of a desk" tight>
          <div className="app border border-line" style={own(220, 66)}>
            <Rail roles={desk} />
          </div>
        </Part>
      </div>
      <Part name="TopBar">
        {[everything, desk].map((roles) => (
          <div key={roles.length} className="app border border-line" style={own(50)}>
            <TopBar data={frameOf(roles)} theme="light" />
          </div>
        ))}
      </Part>
    </QuietQueries>
  );
}
