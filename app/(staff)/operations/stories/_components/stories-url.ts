import { createLoader, parseAsString } from "nuqs/server";

export const storiesParsers = { clinic: parseAsString, q: parseAsString.withDefault("") };
export const loadStoriesUrl = createLoader(storiesParsers);
