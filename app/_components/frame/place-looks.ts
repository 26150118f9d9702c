import type { Place } from "@/app/_components/frame/frame-data";
import type { Glyph } from "@/app/_components/icon";
import type { MessageKey } from "@/app/_i18n/messages";

/** Glyph, name and keys of each place of the navigation. */
export const placeLooks: Record<Place, { glyph: Glyph; word: MessageKey; key: string }> = {
  delivery: { glyph: "delivery", word: "nav.delivery", key: "g d" },
  planning: { glyph: "planning", word: "nav.planning", key: "g p" },
  stories: { glyph: "story", word: "nav.stories", key: "g s" },
  audit: { glyph: "audit", word: "nav.audit", key: "g a" },
  drills: { glyph: "drill", word: "nav.drills", key: "g r" },
  desk: { glyph: "desk", word: "nav.desk", key: "g k" },
};
