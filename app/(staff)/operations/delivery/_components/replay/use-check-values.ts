import { useTranslations } from "next-intl";
import { deliveryStates } from "@/app/_components/state-dictionary";
import type { Check } from "@/server/domain/replay/checks";
import { actionWords } from "../act-words";
import { outcomes, recordPlaceWords } from "./replay-words";

/**
 * The two values of a check as people read them: states, places and ends in words. References, consumers, offsets and digests are their own words.
 * The stored codes stay in the answer, for the command line and for whoever reads it by machine.
 */
export function useCheckValues() {
  const t = useTranslations();
  const placesOf = (places: readonly (keyof typeof recordPlaceWords)[]) => places.map((place) => t(recordPlaceWords[place])).join(", ");
  const state = (name: keyof typeof deliveryStates) => t(deliveryStates[name].label);

  function stateCounts(states: NonNullable<Check["states"]>): string {
    const entries = Object.entries(states) as [keyof typeof states, number][];
    const records = entries.reduce((sum, [, count]) => sum + count, 0);
    return entries.map(([name, count]) => (records === 1 ? state(name) : `${state(name)} ×${t("number", { value: count })}`)).join(", ");
  }

  function endsAndActions(nextAfter: NonNullable<Check["nextAfter"]>): string {
    const entries = Object.entries(nextAfter) as [keyof typeof outcomes, keyof typeof actionWords][];
    const actions = [...new Set(entries.map(([, action]) => action))];
    return actions
      .map((action) => {
        const ends = entries.filter((entry) => entry[1] === action).map(([end]) => t(outcomes[end].label));
        return t("replay.endsWith", { ends: ends.join(", "), action: t(actionWords[action]) });
      })
      .join(" · ");
  }

  return (check: Check): { requested: string; recorded: string } => {
    const { name, requested, recorded, states, places, nextAfter } = check;
    if (name === "STATE")
      return {
        requested: t("replay.stateAsked", { one: state("QUARANTINED"), other: state("RETRYABLE") }),
        recorded: states ? stateCounts(states) : recorded,
      };
    if (name === "OUTCOME_RECORDED" && nextAfter)
      return {
        requested: `${placesOf(["AUDIT", "ITEMS", "RECEIPT"])} · ${endsAndActions(nextAfter)}`,
        recorded: places ? placesOf(places) || t("replay.none") : recorded,
      };
    return { requested, recorded };
  };
}
