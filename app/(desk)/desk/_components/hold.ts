import type { ReactNode } from "react";

/** Why nothing can be sent now: a notice that says so and offers the way out, and the id of its words for the buttons that are off. */
export type Hold = { id: string; notice: ReactNode };
