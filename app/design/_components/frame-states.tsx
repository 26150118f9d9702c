"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Rail } from "@/app/_components/frame/rail";
import { TopBar } from "@/app/_components/frame/top-bar";
import { useTRPC } from "@/app/_trpc/client";
import { Part } from "./part";
import { zone } from "./samples";

const clinics = ["203", "204"].map((n) => ({ id: n, ref: `CL-${n}000`, name: n === "203" ? "Harbour" : "On-call", zone }));
const data = (roles: string[]) => ({
  user: { id: "u", ref: "ST-000417", roles },
  tenantGroup: { ref: "TG-014000", name: "Northbank" },
  clinics,
});

/** The frame of a person who holds every place, and of a desk. */
export function FrameStates() {
  const t = useTranslations();
  const trpc = useTRPC();
  // asks nobody: the number of the badge is given here
  const [quiet] = useState(() => {
    const client = new QueryClient({ defaultOptions: { queries: { enabled: false } } });
    client.setQueryData(trpc.delivery.needsDecision.queryKey({ clinic: undefined }), 7);
    return client;
  });
  return (
    <QueryClientProvider client={quiet}>
      <Part name="Rail, TopBar">
        {[["STAFF", "APPOINTMENT_REPLAY_OPERATOR", "FRONT_DESK"], ["FRONT_DESK"]].map((roles) => (
          // of its own layer, so that on a phone its navigation is fixed to it and not to the page
          <div
            key={roles.length}
            className="app border border-line"
            style={{ height: roles.length > 1 ? 460 : 220, transform: "translateZ(0)" }}
          >
            <Rail roles={roles} />
            <TopBar data={data(roles)} theme="light" />
            <p className="p-6 text-2nd">{t("app.what")}</p>
          </div>
        ))}
      </Part>
    </QueryClientProvider>
  );
}
