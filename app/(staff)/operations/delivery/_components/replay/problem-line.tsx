import { useTranslations } from "next-intl";
import { Notice } from "@/app/_components/notice";
import type { MessageKey } from "@/app/_i18n/messages";
import { failedWords } from "./replay-words";
import type { Problem } from "./use-replay";

const codes: Record<string, MessageKey> = {
  "no-answer": "replay.unanswered",
  "event-log-unavailable": "replay.logAway",
  "database-unavailable": "replay.notAnswered",
};

/** Why an act was refused, with its number, or that its answer was lost. */
export function ProblemLine({ problem }: { problem: Problem }) {
  const t = useTranslations();
  const { code, failed = [], refusal } = problem;
  const first = failedWords[failed[0] ?? (code === "replay-already-open" ? "ALREADY_OPEN" : "")];
  const known = codes[code];
  return (
    <Notice glyph="stale" family="hold" alert>
      {first ? t("replay.off", { why: t(first) }) : known ? t(known) : t("problem.other", { code })}
      {refusal && ` ${t("replay.recordedAs", { ref: refusal })}`}
      {code === "replay-already-open" && ` ${t("replay.firstRequest")}`}
    </Notice>
  );
}
