import { createLoader, parseAsString } from "nuqs/server";

/** `drill`: the name of the one that is open. */
export const drillsParsers = { clinic: parseAsString, drill: parseAsString };
export const loadDrillsUrl = createLoader(drillsParsers);
