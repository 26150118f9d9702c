/** Where the workers and what waits for them are shown, opened. */
export const healthHref = (clinicRef: string): string => `/operations/delivery?clinic=${encodeURIComponent(clinicRef)}&workers=true`;
