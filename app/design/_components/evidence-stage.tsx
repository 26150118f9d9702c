"use client";

import { EvidencePanel } from "@/app/(staff)/operations/delivery/_components/evidence-panel";
import { QuietQueries, type Seed } from "./quiet-queries";

const nothing = () => {};
const id = "inbox.019c1f00-0000-7000-8000-0000000000bb";
const gone: Seed = (client, trpc) => void client.setQueryData(trpc.delivery.evidence.queryKey({ clinic: undefined, id }), null);

/** The evidence panel without evidence: on its way, not read, or no longer there. */
export function EvidenceStage({ state }: { state: "reading" | "failed" | "gone" }) {
  return (
    <main id="content" className="main full" style={{ width: 400, height: 520 }}>
      <QuietQueries seed={state === "gone" ? gone : undefined} fails={state === "failed"}>
        <EvidencePanel
          id={id}
          clinic={undefined}
          online
          wanted={null}
          takesFocus
          onStarted={nothing}
          onClose={nothing}
          onStep={nothing}
          onOpen={nothing}
          onDone={nothing}
        />
      </QuietQueries>
    </main>
  );
}
