"use client";

import clsx from "clsx";
import { useLocale, useTranslations } from "next-intl";
import type { Glyph } from "@/app/_components/icon";
import { Icon } from "@/app/_components/icon";
import { Time } from "@/app/_components/time";
import type { InvariantCode, StepCode } from "@/server/domain/drills/catalog";
import type { StepRecord } from "@/server/domain/drills/types";
import { Took } from "./drill-cells";
import { invariantWords, stepWords } from "./drill-dictionary";
import type { ListedDrill } from "./listed-drill";

const stepLooks: Record<StepRecord["state"], { glyph: Glyph; look: string }> = {
  DONE: { glyph: "done", look: "ok" },
  RUNNING: { glyph: "run", look: "go" },
  FAILED: { glyph: "fail", look: "bad" },
};

/** Steps and invariants of the catalogue, with what the run has noted for each; what is not reached yet is listed too. */
export function DrillSteps({ drill, zone }: { drill: ListedDrill; zone: string }) {
  const t = useTranslations();
  const { steps, invariants } = drill;
  const run = drill.run?.carriedOut === "AUTOMATED" ? drill.run : null; // people note no steps
  const taken = new Map(run?.steps.map((step) => [step.code, step]));
  const checked = new Map(run?.invariants.map((one) => [one.code, one]));
  const done = [...taken.values()].filter(({ state }) => state === "DONE").length;
  const holding = [...checked.values()].filter(({ holds }) => holds).length;
  return (
    <>
      <section className="sec">
        <div className="sech">
          <h3>{t("drill.steps")}</h3>
          <span className="sp" />
          {run && <span className="r">{t("drill.doneOf", { done, count: steps.length })}</span>}
        </div>
        <ol className="stp">
          {(steps as readonly StepCode[]).map((code) => (
            <Step key={code} code={code} step={taken.get(code)} zone={zone} />
          ))}
        </ol>
      </section>
      <section className="sec">
        <div className="sech">
          <h3>{t("drill.invariants")}</h3>
          <span className="sp" />
          {run && (
            <span className="r">
              {checked.size < invariants.length
                ? t("drill.heldOf", { holding, rest: invariants.length - checked.size })
                : t("drill.holding", { holding, count: invariants.length })}
            </span>
          )}
        </div>
        <ul className="inv">
          {(invariants as readonly InvariantCode[]).map((code) => {
            const found = checked.get(code);
            return (
              <li key={code} className={!found ? "n" : found.holds ? "p" : "f"}>
                <Icon name={!found ? "await" : found.holds ? "pass" : "fail"} />
                <span>
                  {t(invariantWords[code])}
                  {found && !found.holds && <small>{t("drill.broken", { found: found.found, expected: found.expected })}</small>}
                </span>
                <span className="a">{!found ? t("drill.notYet") : found.holds ? t("drill.held") : t("drill.state.FAILED")}</span>
              </li>
            );
          })}
        </ul>
      </section>
    </>
  );
}

function Step({ code, step, zone }: { code: StepCode; step: StepRecord | undefined; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  const { glyph, look } = step ? stepLooks[step.state] : { glyph: "na" as const, look: "nx" };
  const { waitedMs, ofMs, ...facts } = step?.facts ?? {};
  const waits = step?.state === "RUNNING" && ofMs !== undefined;
  const waited = { done: Math.round(Number(waitedMs ?? 0) / 1000), of: Math.round(Number(ofMs ?? 0) / 1000) };
  return (
    <li className={clsx(look)}>
      <Icon name={glyph} />
      <span className="t">{t(stepWords[code])}</span>
      <span className="v">
        {step && step.durationMs !== null && (
          <>
            <Time at={step.at} zone={zone} as="seconds" locale={locale} />, <Took ms={step.durationMs} />
          </>
        )}
        {waits && t("drill.waitedOf", waited)}
      </span>
      {waits && (
        <span className="meter" role="img" aria-label={t("drill.waitedOf", waited)}>
          <i style={{ width: `${(100 * Number(waitedMs)) / Number(ofMs)}%` }} />
        </span>
      )}
      {Object.keys(facts).length > 0 && (
        <small className="ref">
          {Object.entries(facts)
            .map(([name, value]) => `${name} ${value}`)
            .join(" · ")}
        </small>
      )}
    </li>
  );
}
