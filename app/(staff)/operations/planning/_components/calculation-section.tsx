"use client";

import { useLocale, useTranslations } from "next-intl";
import { KeyValue, KeyValueList } from "@/app/_components/key-value";
import { Ref } from "@/app/_components/ref";
import { formatTime, Time } from "@/app/_components/time";
import { useApart } from "@/app/(staff)/operations/stories/_components/use-apart";
import type { CalculationView, RunEvidence } from "@/server/domain/operations/planning-types";
import type { Levels } from "@/server/domain/planning/solver/types";
import { levelWords } from "./planning-dictionary";

/** Who asked, what was checked, how long it took, whether it is feasible; then how good it may be at best, and only then how good it is. */
export function CalculationSection({ evidence }: { evidence: RunEvidence }) {
  const t = useTranslations();
  const locale = useLocale();
  const apart = useApart();
  const { asked, calculation, row, scope } = evidence;
  const seconds = (at: string) => formatTime(at, scope.zone, "seconds", locale);
  return (
    <section className="sec tight">
      <div className="sech">
        <h3>{t("planning.calculation")}</h3>
        <span className="sp" />
        {calculation && row.startedAt && (
          <span className="r num">
            {seconds(row.startedAt)}–{seconds(calculation.calculatedAt)}, {t("planning.solve", { time: apart(calculation.solveMs) })}
          </span>
        )}
      </div>
      <KeyValueList className="wide1">
        <KeyValue term={t("planning.askedBy")} wrap>
          <Ref>{asked.byRef}</Ref>
          <span className="dim num">
            {t(askedFrom[asked.from])}, <Time at={asked.at} zone={scope.zone} as="dayClock" locale={locale} />
          </span>
        </KeyValue>
        <Sources evidence={evidence} />
        {calculation && <Quality calculation={calculation} unplaced={row.unplaced ?? 0} stays={row.stays} />}
      </KeyValueList>
    </section>
  );
}

const askedFrom = {
  DESK: "planning.askedFrom.DESK",
  OPERATIONS: "planning.askedFrom.OPERATIONS",
  COMMAND_LINE: "planning.askedFrom.COMMAND_LINE",
} as const;

function Sources({ evidence: { sources, row } }: { evidence: RunEvidence }) {
  const t = useTranslations();
  if (!sources) return null;
  const all = sources.byVersion + sources.byPlacement;
  const [first] = sources.behind;
  const isOver = row.group === "SETTLED";
  return (
    <>
      <KeyValue term={t("planning.sources")} wrap>
        {isOver || sources.behindCount === 0
          ? isOver
            ? t("planning.sourcesHeld", { count: all })
            : t("planning.sourcesUnchanged", { count: all })
          : t("planning.sourcesBehind", { count: sources.behindCount, all })}
        {!isOver && first && (
          <span className="dim">
            · <Ref>{first.ref}</Ref> v{first.from} → {first.to === null ? t("planning.gone") : `v${first.to}`}
          </span>
        )}
      </KeyValue>
      <dt className="sr">{t("planning.sourceKinds")}</dt>
      <dd className="l2d num">{t("planning.byVersion", { version: sources.byVersion, placement: sources.byPlacement })}</dd>
    </>
  );
}

function Quality({ calculation, unplaced, stays }: { calculation: CalculationView; unplaced: number; stays: number }) {
  const t = useTranslations();
  const apart = useApart();
  const { feasible, movable, bound, gap, proven, cost, levels, reproducible, endedBy } = calculation;
  const percent = gap === null || bound === null || gap === 0 ? null : bound === 0 ? null : Math.round((gap / Math.abs(bound)) * 1000) / 10;
  return (
    <>
      <KeyValue term={t("planning.solveTime")} wrap>
        {apart(calculation.solveMs)}
        <span className="dim">
          · {t(reproducible ? "planning.reproducible" : endedBy === "CANCELLED" ? "planning.cutByPerson" : "planning.cutByClock")}
        </span>
      </KeyValue>
      <KeyValue term={t("planning.feasibility")} wrap>
        {t(feasible ? "planning.feasible" : "planning.notFeasible")}
        <span className="dim">
          · {feasible ? t("planning.allPlaced", { count: movable }) : t("planning.unplaced", { count: unplaced })}
        </span>
        {stays > 0 && <span>· {t("planning.staysAffected", { count: stays })}</span>}
      </KeyValue>
      <KeyValue term={t("planning.boundAndGap")} wrap>
        <span className="num">
          {bound === null ? "–" : t("number", { value: bound })}
          {gap !== null && `, ${percent === null ? t("planning.gap", { gap }) : t("planning.gapOf", { gap, percent })}`}
        </span>
        <span className="dim">· {t(proven ? "planning.proven" : "planning.notProven")}</span>
      </KeyValue>
      <KeyValue term={t("planning.score")} wrap>
        <span>
          <span className="num">{t("number", { value: cost })}</span> <Score levels={levels} />
        </span>
      </KeyValue>
    </>
  );
}

/** The score level by level, the weightiest first, those that cost something. */
function Score({ levels }: { levels: Levels }) {
  const t = useTranslations();
  const shown = (Object.keys(levelWords) as (keyof Levels)[]).filter((level) => levels[level] !== 0);
  const words = shown.map((level) => t(levelWords[level], { count: levels[level] }));
  return <span className="dim">· {shown.length === 0 ? t("planning.levelsZero") : words.join(", ")}</span>;
}
