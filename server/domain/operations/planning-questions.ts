import type { AnsweredQuestion, RunRow, Signal, Unread } from "./planning-types";

/** The five questions of a run. SCOPE is answered by the reading itself: a row of another tenant or clinic does not come. */
export function questionsOfRun(row: RunRow): AnsweredQuestion[] {
  return [
    { question: "SCOPE", answer: "YES" },
    { question: "VERSIONS", ...versionsAnswer(row) },
    { question: "ROLLED_BACK", ...rolledBackAnswer(row) },
    { question: "POLICY", answer: "NOT_A_POLICY" },
    { question: "NOTIFICATION", answer: "NOT_A_NOTIFICATION" },
  ];
}

type Answer = AnsweredQuestion extends infer One ? (One extends { question: unknown } ? Omit<One, "question"> : never) : never;

function versionsAnswer({ versions, unread }: RunRow): Answer {
  if (unread.includes("CURRENT_VERSION")) return { answer: "MISSING", unread: ["CURRENT_VERSION"] };
  if (!versions || versions.current === null) return { answer: "NOT_YET" };
  return { answer: versions.calculated === versions.current ? "YES_EQUAL" : "YES_DIFFER" };
}

function rolledBackAnswer({ runState, unread, written, applyAttempts }: RunRow): Answer {
  if (unread.includes("ATTEMPT")) return { answer: "MISSING", unread: ["ATTEMPT"] };
  if (runState === "APPLIED") return { answer: "NO_CAS_FAILED" };
  return applyAttempts > 0 ? { answer: "YES_ROLLED_BACK", written } : { answer: "NOT_YET" };
}

/** The same five of a clinic's messages: only the last is about them, and each signal is read apart. */
export function questionsOfNotification(signals: readonly Signal[]): AnsweredQuestion[] {
  const unread = [...new Set(signals.filter(({ state }) => state === "UNREAD").flatMap(({ signal }) => unreadSignals[signal] ?? []))];
  return [
    { question: "SCOPE", answer: "YES" },
    { question: "VERSIONS", answer: "NOT_A_CALCULATION" },
    { question: "ROLLED_BACK", answer: "NOT_A_CALCULATION" },
    { question: "POLICY", answer: "NOT_A_POLICY" },
    unread.length > 0 ? { question: "NOTIFICATION", answer: "MISSING", unread } : { question: "NOTIFICATION", answer: "YES" },
  ];
}

const unreadSignals: Partial<Record<Signal["signal"], Unread>> = {
  CIRCUIT: "CIRCUIT",
  RETENTION: "RETENTION",
  DISPATCH: "TICKS",
  REMINDERS: "TICKS",
};
