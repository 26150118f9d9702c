"use client";

import { useTranslations } from "next-intl";
import { useEffect, useRef } from "react";
import { Button } from "@/app/_components/button";
import type { ReasonGroup } from "@/server/domain/operations/reason-groups";
import { CheckList, CheckSummary } from "../../_components/replay/check-list";
import { ProblemLine } from "../../_components/replay/problem-line";
import { useReplay } from "../../_components/replay/use-replay";
import { BoundsForm } from "./bounds-form";
import { ManifestPart } from "./manifest-part";

type Props = { group: ReasonGroup; onClose(): void };
const recordsMost = 10_000;

/** The form of a range replay, opened from a reason group: what is frozen, the five checks over it, bounds, a reason, and one way to approve. */
export function RangeForm({ group, onClose }: Props) {
  const t = useTranslations();
  const heading = useRef<HTMLHeadingElement>(null);
  const replay = useReplay(group.clinicRef);
  const { preview, phase, problem } = replay;
  const read = (recordsMax: number, fresh: boolean) =>
    replay.read({ kind: "group", consumer: group.consumer, reasonCode: group.reasonCode, recordsMax }, fresh);
  // biome-ignore lint/correctness/useExhaustiveDependencies: opened once for a group; what arrives later is outside of what was frozen
  useEffect(() => {
    heading.current?.focus();
    read(Math.min(recordsMost, Math.max(1, group.open)), false);
  }, []);
  const request = preview?.request;
  const checks = phase === "reading" ? null : (preview?.checks ?? null);
  return (
    <div className="rf">
      <section aria-labelledby="rf-manifest">
        <div className="sech">
          <h2 id="rf-manifest" ref={heading} tabIndex={-1}>
            {t("replay.manifest")}
          </h2>
          <span className="sp" />
          <Button look="link" size="sm" onClick={onClose}>
            {t("replay.range.close")}
          </Button>
        </div>
        {request && preview && <ManifestPart request={request} heldElsewhere={preview.heldElsewhere} zone={group.zone} />}
      </section>
      <section aria-labelledby="rf-checks">
        <div className="sech">
          <h2 id="rf-checks">{t("replay.checks")}</h2>
          <span className="sp" />
          {checks && <CheckSummary checks={checks} />}
        </div>
        {(checks || phase === "reading") && <CheckList checks={checks} />}
        {request && (
          <>
            <h3 className="t">{t("replay.range.willHappen")}</h3>
            <ul className="wh">
              <li>{t("replay.range.will1")}</li>
              <li>{t("replay.range.will2")}</li>
              <li>{t("replay.range.will3")}</li>
              <li>{t("replay.range.will4")}</li>
            </ul>
          </>
        )}
      </section>
      <section aria-labelledby="rf-bounds">
        <div className="sech">
          <h2 id="rf-bounds">{t("replay.range.bounds")}</h2>
          <span className="sp" />
          <span className="r">{t("replay.range.ownGroup")}</span>
        </div>
        {problem?.code === "replay-over-bounds" ? (
          <div className="go">
            <p className="why" role="alert">
              {t("replay.range.overBounds", { offsets: problem.offsets ?? "", fits: problem.fits ?? 0 })}{" "}
              {problem.refusal && t("replay.recordedAs", { ref: problem.refusal })}
            </p>
            {problem.fits ? (
              <Button onClick={() => read(problem.fits as number, true)}>{t("replay.range.takeFits", { fits: problem.fits })}</Button>
            ) : null}
          </div>
        ) : (
          <>
            {problem && <ProblemLine problem={problem} />}
            <BoundsForm
              key={request?.requestId ?? "none"}
              clinicRef={group.clinicRef}
              preview={preview}
              phase={phase}
              recordsOffered={Math.min(recordsMost, group.open)}
              onRead={(recordsMax) => read(recordsMax, true)}
              onApprove={replay.approve}
            />
          </>
        )}
      </section>
    </div>
  );
}
