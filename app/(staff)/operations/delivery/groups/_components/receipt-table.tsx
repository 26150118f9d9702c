import { useTranslations } from "next-intl";
import { Ref } from "@/app/_components/ref";
import { StateMark } from "@/app/_components/state";
import { outcomes } from "../../_components/replay/replay-words";
import type { Job } from "../../_components/replay/use-replay";

const lines = Object.keys(outcomes) as (keyof typeof outcomes)[];

/** Requested = processed + duplicate + retry wait + quarantine + skipped + not reached, as it was stored when the job ended. */
export function ReceiptTable({ job }: { job: Job }) {
  const t = useTranslations();
  const sum = lines.reduce((total, line) => total + job.counts[line], 0);
  const number = (value: number) => t("number", { value });
  return (
    <table className="sumt">
      <caption className="sr">{t("replay.receiptOf", { ref: job.jobRef ?? "" })}</caption>
      <tbody>
        <tr className="tot">
          <th scope="row">{t("replay.requested")}</th>
          <td className="x">
            {t("replay.manifest")} <Ref>{job.ref}</Ref>
          </td>
          <td className="v num">{number(job.records)}</td>
        </tr>
        {lines.map((line, index) => {
          const { glyph, family, label, meaning } = outcomes[line];
          return (
            <tr key={line} data-outcome={line}>
              <th scope="row">
                <span className="op" aria-hidden="true">
                  {index === 0 ? "=" : "+"}
                </span>
                <StateMark glyph={glyph} family={family}>
                  {t(label)}
                </StateMark>
              </th>
              <td className="x">
                {line === "NOT_REACHED" && job.endedReason === "CANCELLED" && job.wantedByRef
                  ? t("replay.endedBy", { ref: job.wantedByRef })
                  : t(meaning)}
              </td>
              <td className="v num">{number(job.counts[line])}</td>
            </tr>
          );
        })}
        <tr className="eqr">
          <th scope="row">{t("replay.sum")}</th>
          <td className="x">{t("replay.addsUp", { sum: number(sum), records: number(job.records) })}</td>
          <td className="v num">{number(sum)}</td>
        </tr>
        <tr data-runs>
          <th scope="row">{t("replay.runs")}</th>
          <td className="x" colSpan={2}>
            {t("replay.runsAndEffects", { runs: job.handlerRuns, effects: job.effects })}
          </td>
        </tr>
      </tbody>
    </table>
  );
}
