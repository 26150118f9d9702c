"use client";

import { useEffect, useState } from "react";
import { CommandDialog } from "@/app/_components/frame/command-dialog";
import { queue } from "./delivery-samples";
import { QuietQueries, type Seed } from "./quiet-queries";
import { frameOf } from "./samples";
import { storyLines } from "./story-samples";

const nothing = () => {};
const roles = ["STAFF", "FRONT_DESK"];
const { clinics } = frameOf(roles);

/** What a reference leads to, for each role of the person. */
function seedOf(text: string, isSome: boolean): Seed {
  return (client, trpc) => {
    const deskClinic = clinics[0]?.ref ?? "";
    const visit = {
      appointmentId: "a",
      ref: text,
      status: "CONFIRMED",
      localDate: "2026-08-18",
      localTime: "14:00",
      patientRef: "PT-6RM100",
    };
    const stories = isSome ? storyLines.slice(0, 2) : [];
    client.setQueryData(trpc.stories.find.queryKey({ clinic: undefined, text }), { stories, rows: isSome ? queue.slice(0, 3) : [] });
    client.setQueryData(trpc.planningViews.head.queryKey({ clinic: undefined, filter: { search: text } }), {
      rows: [],
      next: null,
      asOf: "",
    });
    client.setQueryData(trpc.desk.findVisits.queryKey({ clinicId: deskClinic, text }), isSome ? [visit] : []);
  };
}

/** The command menu with something typed: read, on its way, failed, or nothing found. */
export function FindStage({ typed, finds, fails }: { typed: string; finds?: "some" | "none"; fails?: boolean }) {
  const [isHere, setHere] = useState(false); // a dialog is drawn in a browser only
  useEffect(() => setHere(true), []);
  return (
    <main id="content" className="h-dvh bg-surface p-6">
      {isHere && (
        <QuietQueries seed={finds && seedOf(typed, finds === "some")} fails={fails}>
          <CommandDialog roles={roles} clinics={clinics} typedAhead={() => ({ text: typed, enter: false })} onClose={nothing} />
        </QuietQueries>
      )}
    </main>
  );
}
