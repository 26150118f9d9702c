"use client";

import { useTranslations } from "next-intl";
import { roleWords } from "@/app/_components/frame/role-words";
import type { AuditRow } from "@/server/domain/operations/audit-types";
import { actWord, auditReasonWord, isRightMissing } from "./audit-dictionary";

/** What an entry says, in words: act, on what, second line of the result, reason, sentence of the open entry. */
export function useAuditWords() {
  const t = useTranslations();
  const act = (name: string): string => {
    const word = actWord(name);
    return word ? t(word) : name;
  };
  const role = (name: string | null): string => {
    const word = roleWords[name as keyof typeof roleWords];
    return word ? t(word) : (name ?? "");
  };
  /** Which row, appointment or command; a subject without a short reference by the start of its id. */
  const target = (row: AuditRow): string =>
    row.subjectRef ?? (row.subjectId ? `${row.subjectType ?? ""} ${row.subjectId.slice(0, 8)}…`.trim() : "");
  const effect = (row: AuditRow): string => {
    const { version, entries } = row.details;
    switch (row.result) {
      case "REFUSED":
        return t("audit.effect.REFUSED");
      case "NO_CHANGE":
        return t("audit.effect.NO_CHANGE");
      case "STALE_REJECTED":
        return t("audit.effect.STALE_REJECTED");
      case "DONE":
        if (typeof entries === "number") return t("audit.effect.entries", { count: entries });
        return typeof version === "number" ? t("audit.effect.version", { version }) : "";
    }
  };
  /** The stored code as a sentence; "" without one. */
  const codeReason = (row: AuditRow): string => {
    if (!row.reasonCode) return "";
    const right = row.details.right;
    if (isRightMissing(row.reasonCode) && typeof right === "string") return t("audit.reason.RIGHT_MISSING", { right: role(right) });
    const word = auditReasonWord(row.reasonCode);
    return word ? t(word) : t("delivery.reasonCode", { code: row.reasonCode });
  };
  /** Why it was refused, before what somebody typed. */
  const reason = (row: AuditRow): string => {
    const code = codeReason(row);
    if (code && row.result !== "DONE") return code;
    return row.reason ? t("audit.quoted", { text: row.reason }) : code || t("audit.noReason");
  };
  const sentence = (row: AuditRow): string => {
    const words = { act: act(row.act), who: row.actorRef };
    switch (row.result) {
      case "REFUSED":
        return t("audit.say.REFUSED", words);
      case "NO_CHANGE":
        return t("audit.say.NO_CHANGE", words);
      case "STALE_REJECTED":
        return t("audit.say.STALE_REJECTED", words);
      case "DONE":
        return t("audit.say.DONE", words);
    }
  };
  return { act, role, target, effect, codeReason, reason, sentence };
}
