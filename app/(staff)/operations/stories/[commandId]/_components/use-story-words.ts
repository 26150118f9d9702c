"use client";

import { useLocale, useTranslations } from "next-intl";
import type { Glyph } from "@/app/_components/icon";
import { reasonWords } from "@/app/_components/reason-dictionary";
import { shortIdentity } from "@/app/_components/ref";
import type { Family } from "@/app/_components/state-dictionary";
import { formatTime } from "@/app/_components/time";
import { actWord } from "@/app/(staff)/operations/audit/_components/audit-dictionary";
import { changeWord } from "@/app/(staff)/operations/delivery/_components/words";
import { auditResultWord, intentWords, replayOutcomeWords } from "../../_components/story-dictionary";
import { useApart } from "../../_components/use-apart";
import type { StoryNode } from "./story-rows";

export type NodeWords = { glyph: Glyph; family: Family; title: string; second: string; sentence: string; isReuse: boolean };

/** What a node says: two short lines for the eye and one sentence for the ear. */
export function useStoryWords(zone: string): (node: StoryNode) => NodeWords {
  const t = useTranslations();
  const locale = useLocale();
  const apart = useApart();
  const reason = (code: string | null) => {
    const word = code ? reasonWords[code] : undefined;
    return word ? t(word) : code ? t("delivery.reasonCode", { code }) : "";
  };
  const done = { glyph: "done", family: "done", isReuse: false } as const;
  const reuse = { glyph: "reuse", family: "reuse", isReuse: true } as const;
  const wait = { glyph: "wait", family: "wait", isReuse: false } as const;
  const hold = { glyph: "hold", family: "hold", isReuse: false } as const;

  function callWords({ record, part, call }: StoryNode): NodeWords {
    const status = String(record.number ?? "");
    const number = call?.number ?? 1;
    if (part === "reuse")
      return { ...reuse, title: t("story.keyMatches"), second: t("story.noNewChange"), sentence: t("story.say.keyAgain") };
    const title = t("story.call", { number });
    const after = call?.afterMs != null ? apart(call.afterMs) : null;
    const afterWords = after ? t("story.after", { apart: after }) : "";
    switch (record.what) {
      case "FIRST":
        return { ...done, title, second: t("story.answered", { status }), sentence: t("story.say.first", { number, status }) };
      case "REPLAYED":
        return { ...reuse, title, second: afterWords, sentence: t("story.say.replayed", { number, apart: after ?? "0 ms", status }) };
      case "REUSED":
        return {
          ...hold,
          glyph: "lock",
          title,
          second: t("story.refused", { status }),
          sentence: t("story.say.reused", { number, status }),
        };
      default:
        return { ...wait, title, second: t("story.toldToWait", { status }), sentence: t("story.say.waited", { number, status }) };
    }
  }

  function deliveryWords({ record }: StoryNode): NodeWords {
    const consumer = record.by ?? "";
    const of = { consumer, number: record.number ?? 0, max: record.attemptsMax ?? 0 };
    const byReplay = record.requestId !== null && record.what === "PROCESSED";
    const attempt = byReplay ? t("story.byReplay") : record.number === null ? t("story.noAttempt") : t("story.attempt", of);
    const why = reason(record.reasonCode);
    switch (record.what) {
      case "PROCESSED":
        return {
          ...done,
          title: t("state.delivery.PROCESSED.label"),
          second: attempt,
          sentence: `${t("story.say.processed", of)} ${why}`.trim(),
        };
      case "DUPLICATE":
        return { ...reuse, title: t("state.delivery.DUPLICATE.label"), second: t("story.notRun"), sentence: t("story.say.duplicate", of) };
      case "FENCED":
        return {
          ...reuse,
          glyph: "fenced",
          title: t("state.delivery.FENCED.label"),
          second: t("story.nothingChanged"),
          sentence: t("story.say.fenced", of),
        };
      case "QUARANTINED":
        return {
          ...hold,
          title: t("state.delivery.QUARANTINED.label"),
          second: attempt,
          sentence: `${t("story.say.quarantined", of)} ${why}`.trim(),
        };
      default:
        return {
          ...wait,
          title: t(record.reasonCode === "BLOCKED_BY" ? "state.delivery.BLOCKED_BY.label" : "state.delivery.RETRYABLE.label"),
          second: attempt,
          sentence: `${record.number === null ? t("story.say.behind", of) : t("story.say.retry", of)} ${why}`.trim(),
        };
    }
  }

  function sendingWords({ record }: StoryNode): NodeWords {
    const provider = record.by ?? "";
    const number = record.number ?? 1;
    const why = reason(record.reasonCode);
    switch (record.what) {
      case "SENT":
        return {
          ...done,
          title: t("state.notification.SENT.label"),
          second: provider,
          sentence: t("story.say.sent", { provider, number }),
        };
      case "SUPPRESSED":
        return { ...reuse, title: t("story.notSent"), second: t("story.notTrue"), sentence: `${t("story.say.suppressed")} ${why}`.trim() };
      case "FENCED":
        return {
          ...reuse,
          glyph: "fenced",
          title: t("state.delivery.FENCED.label"),
          second: t("story.nothingChanged"),
          sentence: t("story.say.sendingFenced"),
        };
      case "RETRY_WAIT":
        return {
          ...wait,
          title: t("state.notification.RETRY_WAIT.label"),
          second: t("story.try", { number }),
          sentence: `${t("story.say.sendingRetry", { provider, number })} ${why}`.trim(),
        };
      case "UNKNOWN":
        return {
          ...wait,
          glyph: "warn",
          title: t("state.notification.UNKNOWN.label"),
          second: t("story.try", { number }),
          sentence: t("story.say.sendingUnknown", { provider, number }),
        };
      default:
        return {
          ...hold,
          title: t("state.notification.EXHAUSTED.label"),
          second: t("story.try", { number }),
          sentence: `${t("story.say.sendingExhausted", { provider, number })} ${why}`.trim(),
        };
    }
  }

  function reminderWords({ record }: StoryNode): NodeWords {
    const when = record.dueAt ? formatTime(record.dueAt, zone, "dayClock", locale) : "";
    if (record.what === "CANCELLED")
      return {
        ...reuse,
        glyph: "x",
        title: t("story.reminderOff"),
        second: t("story.takenBack"),
        sentence: `${t("story.say.reminderOff")} ${reason(record.reasonCode)}`.trim(),
      };
    if (record.what === "SENT")
      return { ...done, title: t("story.reminderDue"), second: when, sentence: t("story.say.reminderDue", { when }) };
    return {
      glyph: "plan",
      family: "plan",
      isReuse: false,
      title: t("story.reminder"),
      second: when,
      sentence: t("story.say.reminder", { when }),
    };
  }

  function replayWords({ record }: StoryNode): NodeWords {
    const ref = record.detail ?? "";
    const who = record.by ?? "";
    const why = reason(record.reasonCode);
    if (record.what === "APPROVED")
      return {
        ...done,
        title: t("story.replayApproved"),
        second: t("story.replayBy", { ref, who }),
        sentence: t("story.say.replayApproved", { ref, who, count: record.number ?? 0 }),
      };
    if (record.what === "REFUSED")
      return {
        ...hold,
        glyph: "lock",
        title: t("story.replayRefused"),
        second: ref,
        sentence: t("story.say.replayRefused", { ref, who, count: record.number ?? 0 }),
      };
    const isDone = record.what === "PROCESSED" || record.what === "DUPLICATE";
    const word = replayOutcomeWords[record.what];
    const outcome = word ? t(word) : record.what;
    return {
      ...(record.what === "PROCESSED" ? done : isDone ? reuse : record.what === "RETRYABLE" ? wait : hold),
      title: t("story.replayClosed"),
      second: outcome,
      sentence: `${t("story.say.replayClosed", { ref, outcome })} ${why}`.trim(),
    };
  }

  return (node) => {
    const { record } = node;
    switch (record.kind) {
      case "call":
        return callWords(node);
      case "delivery":
        return deliveryWords(node);
      case "sending":
        return sendingWords(node);
      case "reminder":
        return reminderWords(node);
      case "replay":
        return replayWords(node);
      case "key": {
        const second = record.detail ? `fp ${record.detail.slice(0, 4)}…${record.detail.slice(-4)}` : t("story.keyOver");
        return { ...done, title: t("story.keyStored"), second, sentence: t("story.say.key", { status: String(record.number ?? "") }) };
      }
      case "change": {
        const change = t(changeWord(record.what) ?? "change.STATUS_CHANGED");
        const when = record.dueAt ? formatTime(record.dueAt, zone, "dayClock", locale) : "";
        const version = record.number ?? 0;
        const words = { change, version, when, doctor: record.detail ?? "" };
        return {
          ...done,
          title: t("story.changed", words),
          second: when,
          sentence: t("story.say.change", words),
        };
      }
      case "intent": {
        const kind = t(intentWords[record.what] ?? "intent.OTHER");
        return { ...done, glyph: "bell", title: t("story.intent"), second: kind, sentence: t("story.say.intent", { kind }) };
      }
      case "event":
        return {
          ...done,
          title: t("story.event"),
          second: shortIdentity(record.id, 6, 4),
          sentence: t("story.say.event", { type: record.what, version: record.number ?? 0 }),
        };
      case "left":
        return {
          ...reuse,
          glyph: "clock",
          title: t("story.left"),
          second: t("story.retentionOver"),
          sentence: t("story.say.left", { type: record.what, version: record.number ?? 0 }),
        };
      case "audit": {
        const entry = auditResultWord(record.detail);
        const word = actWord(record.what);
        const act = word ? t(word) : record.what;
        const result = t(entry.label);
        return {
          glyph: entry.glyph,
          family: entry.family,
          isReuse: false,
          title: t("story.audit"),
          second: record.by ?? result,
          sentence: t("story.say.audit", { act, who: record.by ?? "", result }),
        };
      }
      case "published": {
        const at = { partition: record.partition ?? 0, offset: record.offset ?? "" };
        return {
          ...done,
          title: t("state.outbox.PUBLISHED.label"),
          second: `p${at.partition}, ${at.offset}`,
          sentence: t("story.say.published", at),
        };
      }
    }
  };
}
