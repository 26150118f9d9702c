import { redirect } from "next/navigation";
import type { ReactNode } from "react";
import { Frame } from "@/app/_components/frame/frame";
import { getQueryClient, trpc } from "@/app/_trpc/server";
import { readActor } from "@/server/auth/read-actor";

/** Frame of the screens behind sign-in. `right` decides which clinics the scope switcher offers; the page itself checks the right. */
export async function PlaceFrame({ right, children }: { right: "STAFF" | "FRONT_DESK"; children: ReactNode }) {
  const actor = await readActor();
  if (!actor) redirect("/sign-in");
  const me = await getQueryClient().fetchQuery(trpc.session.me.queryOptions());
  const held = actor.roles.filter((one) => one.role === right);
  const clinics = me.clinics.filter((clinic) => held.some((one) => one.clinicId === null || one.clinicId === clinic.id));
  const roles = [...new Set(actor.roles.map((one) => one.role))];
  return <Frame data={{ user: { id: actor.userId, ref: actor.ref, roles }, tenantGroup: me.tenantGroup, clinics }}>{children}</Frame>;
}
