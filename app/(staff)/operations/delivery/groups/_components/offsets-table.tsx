import { useTranslations } from "next-intl";
import { Icon } from "@/app/_components/icon";
import { StateMark } from "@/app/_components/state";
import type { Job } from "../../_components/replay/use-replay";

/** Where the operating group stood before and after. A replay moves none; while its consumer runs, live traffic does. */
export function OffsetsTable({ job }: { job: Job }) {
  const t = useTranslations();
  const ofManifest = new Set(job.ranges.map(({ partition }) => partition));
  const shown = job.offsets.filter(({ partition }) => ofManifest.has(partition));
  const number = (value: string | null) => (value === null ? t("replay.none") : t("number", { value: Number(value) }));
  if (job.offsets.length === 0) return null;
  return (
    <>
      <div className="sech offh">
        <h4>{t("replay.offsets")}</h4>
        <span className="sp" />
        <StateMark
          glyph={job.offsetsEqual === job.offsets.length ? "eq" : "neq"}
          family={job.offsetsEqual === job.offsets.length ? "done" : "reuse"}
        >
          {t("replay.offsetsEqual", { equal: job.offsetsEqual, all: job.offsets.length })}
        </StateMark>
      </div>
      <table className="of">
        <caption className="sr">{t("replay.offsetsOf")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("replay.partition")}</th>
            <th scope="col">{t("replay.before")}</th>
            <td />
            <th scope="col">{t("replay.after")}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ partition, before, after }) => (
            <tr key={partition}>
              <th scope="row">{partition}</th>
              <td className="num">{number(before)}</td>
              <td className="m">
                <Icon name={before === after ? "eq" : "neq"} label={t(before === after ? "replay.same" : "replay.moved")} />
              </td>
              <td className="num">{number(after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
