/** What the frame shows of the signed-in person; no name, a short reference. */
export type FrameData = {
  user: { id: string; ref: string; roles: string[] };
  tenantGroup: { ref: string; name: string };
  clinics: { id: string; ref: string; name: string; zone: string }[];
};

export type Place = "desk" | "delivery" | "planning" | "stories" | "audit" | "drills";

/** Navigation is filtered by role: a place that a role may not enter is not offered. */
export function placesOf(roles: readonly string[]): Place[] {
  const places: Place[] = [];
  if (roles.includes("STAFF")) places.push("delivery", "planning", "stories", "audit", "drills");
  if (roles.includes("FRONT_DESK")) places.push("desk");
  return places;
}

export const pathOf: Record<Place, string> = {
  desk: "/desk",
  delivery: "/operations/delivery",
  planning: "/operations/planning",
  stories: "/operations/stories",
  audit: "/operations/audit",
  drills: "/operations/drills",
};

/** First screen of a person: operations before the desk; undefined when no screen is open to the roles. */
export function homeOf(roles: readonly string[]): string | undefined {
  const place = placesOf(roles)[0];
  return place && pathOf[place];
}
