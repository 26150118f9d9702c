"use client";

import { useLocale, useTranslations } from "next-intl";
import { AttemptsCell, Pips } from "@/app/_components/attempts";
import { glyphs, Icon } from "@/app/_components/icon";
import { KeyHint } from "@/app/_components/key-hint";
import { CopyButton, KeyIdentity, KeyValue, KeyValueList } from "@/app/_components/key-value";
import { Identity, Ref } from "@/app/_components/ref";
import { StateMark, StateWord } from "@/app/_components/state";
import { auditResults, deliveryStates, outboxStates } from "@/app/_components/state-dictionary";
import { Time, type TimeStyle } from "@/app/_components/time";
import { Part } from "./part";
import { at, zone } from "./samples";

const families = ["done", "reuse", "wait", "hold", "stale", "plan", "off"] as const;
const styles: TimeStyle[] = ["clock", "seconds", "millis", "weekdayClock", "dayClock", "daySeconds", "shortDay", "day", "full"];
const uuid = "01a22f1e-96e7-71a0-9efc-dfb2348714b7";
/** The second 02:20 of the night in which Berlin's clocks go back. */
const repeated = Date.UTC(2026, 9, 25, 1, 20);

/** Small marks: a state as word and as pill, glyphs, references, numbers of attempts, times, keys. */
export function MarkStates() {
  const t = useTranslations();
  const locale = useLocale();
  return (
    <>
      <Part name="StateWord, StateMark">
        <div className="flex flex-wrap gap-2">
          {[...Object.values(deliveryStates), auditResults.STALE_REJECTED, outboxStates.SKIPPED].map((entry) => (
            <StateWord key={entry.label} entry={entry} pill />
          ))}
        </div>
        <div className="flex flex-wrap gap-4">
          {families.map((family) => (
            <StateMark key={family} glyph="dot" family={family}>
              {family}
            </StateMark>
          ))}
        </div>
      </Part>
      <Part name="Icon">
        <ul className="flex flex-wrap gap-3">
          {glyphs.map((name) => (
            <li key={name} title={name}>
              <Icon name={name} label={name} />
            </li>
          ))}
        </ul>
      </Part>
      <Part name="KeyValue, Ref, Identity, CopyButton">
        <KeyValueList>
          <KeyValue term={t("evidence.scope")}>
            <Ref>TG-014000</Ref>
            <span className="dim">/</span>
            <Ref>CL-203000</Ref>
          </KeyValue>
          <KeyValue term={t("delivery.col.reason")} wrap>
            {t("person.lost")}
          </KeyValue>
          <KeyIdentity term={t("evidence.identity")} value={uuid} head={13} />
        </KeyValueList>
        <p className="flex items-center gap-3">
          <Identity value={uuid} />
          <Identity value="9f2c41d8" />
          <CopyButton value={uuid} of={t("evidence.identity")} />
        </p>
      </Part>
      <Part name="AttemptsCell, Pips, KeyHint, Time">
        <div className="q flex flex-wrap gap-6">
          {[0, 2, 5].map((used) => (
            <span key={used}>
              <AttemptsCell used={used} max={5} />
            </span>
          ))}
          <Pips used={1} max={3} />
          <span>
            <KeyHint keys="J K Enter" />
          </span>
        </div>
        <ul className="flex flex-wrap gap-x-6 gap-y-1">
          {styles.map((style) => (
            <li key={style}>
              <Time at={at} zone={zone} as={style} locale={locale} />
            </li>
          ))}
          <li>
            <Time at={repeated} zone={zone} as="clock" locale={locale} />
          </li>
        </ul>
      </Part>
    </>
  );
}
