// What the /design page shows: invented, and always the same, so that two screenshots are alike.
export const zone = "Europe/Berlin";
/** 18 Aug 2026, 14:06:22 in Berlin. */
export const at = Date.UTC(2026, 7, 18, 12, 6, 22);
export const day = (clock: string) => new Date(`2026-08-18T${clock}:00+02:00`).toISOString();

/** What the frame shows of a person with these roles. */
export const frameOf = (roles: string[]) => ({
  user: { id: "u", ref: "ST-000417", roles },
  tenantGroup: { ref: "TG-014000", name: "Northbank" },
  clinics: ["203", "204"].map((n) => ({ id: n, ref: `CL-${n}000`, name: n === "203" ? "Harbour" : "On-call", zone })),
});
