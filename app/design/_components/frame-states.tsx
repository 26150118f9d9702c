"use client";

import { useTranslations } from "next-intl";
import { Rail } from "@/app/_components/frame/rail";
import { TopBar } from "@/app/_components/frame/top-bar";
import { Part } from "./part";
import { QuietQueries, type Seed } from "./quiet-queries";
import { frameOf } from "./samples";

const badges: Seed = (client, trpc) => {
  client.setQueryData(trpc.delivery.needsDecision.queryKey({ clinic: undefined }), 7);
  client.setQueryData(trpc.planningViews.needsDecision.queryKey({ clinic: undefined }), 120);
};

/** The frame of a person who holds every place, and of a desk. */
export function FrameStates() {
  const t = useTranslations();
  return (
    <QuietQueries seed={badges}>
      <Part name="Rail, TopBar">
        {[["STAFF", "APPOINTMENT_REPLAY_OPERATOR", "FRONT_DESK"], ["FRONT_DESK"]].map((roles) => (
          // of its own layer, so that on a phone its navigation is fixed to it and not to the page
          <div
            key={roles.length}
            className="app border border-line"
            style={{ height: roles.length > 1 ? 460 : 220, transform: "translateZ(0)" }}
          >
            <Rail roles={roles} />
            <TopBar data={frameOf(roles)} theme="light" />
            <p className="p-6 text-2nd">{t("app.what")}</p>
          </div>
        ))}
      </Part>
    </QuietQueries>
  );
}
