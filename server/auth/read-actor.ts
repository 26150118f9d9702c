import { cache } from "react";
import { loadActor, type SignedInPerson } from "@/server/domain/scope/load-actor";
import { webDb } from "@/server/http/web-db";
import { auth } from "./auth";

/** The signed-in person with the roles of this moment, or undefined. One look-up for each drawing of a page. */
export const readActor = cache(async (): Promise<SignedInPerson | undefined> => {
  const user = (await auth())?.user;
  return user?.id && user.tenantGroupId ? loadActor(webDb(), { userId: user.id, tenantGroupId: user.tenantGroupId }) : undefined;
});
