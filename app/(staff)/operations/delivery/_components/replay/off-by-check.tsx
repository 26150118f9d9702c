import { useTranslations } from "next-intl";
import type { Check } from "@/server/domain/replay/checks";
import { checkNames, checkWhy } from "./replay-words";

type Props = { checks: readonly Check[]; refusal: string | null; canKeep?: boolean };

/** Why replay is off: the first check that fails, else the first without an answer, in its own words, with the number of the refusal. */
export function OffByCheck({ checks, refusal, canKeep }: Props) {
  const t = useTranslations();
  const first = checks.find(({ result }) => result === "FAIL") ?? checks.find(({ result }) => result === "UNKNOWN");
  if (!first) return null;
  return (
    <>
      <b>{t("replay.offCheck")}</b> {t(first.why ? checkWhy[first.why] : checkNames[first.name])} {canKeep && t("replay.keepInstead")}{" "}
      {refusal && t("replay.recordedAs", { ref: refusal })}
    </>
  );
}
