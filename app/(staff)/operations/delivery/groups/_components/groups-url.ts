import { createLoader, parseAsString } from "nuqs/server";

/** The clinic, and the group whose form is open: a link is the same screen. */
export const groupsParsers = { clinic: parseAsString, group: parseAsString };
export const loadGroupsUrl = createLoader(groupsParsers);
