import { useTranslations } from "next-intl";
import { Icon } from "@/app/_components/icon";
import { outcomes } from "../../_components/replay/replay-words";
import type { Job } from "../../_components/replay/use-replay";

const parts = Object.keys(outcomes) as (keyof typeof outcomes)[];

/** What is settled of a job, by outcome; the numbers stand below it. */
export function ProgressBar({ job }: { job: Job }) {
  const t = useTranslations();
  return (
    <>
      <div className="prog" aria-hidden="true">
        {parts.map((part) => (
          <i key={part} className={outcomes[part].family} style={{ width: `${(job.counts[part] / job.records) * 100}%` }} />
        ))}
      </div>
      <div className="lg num">
        <span>{t("replay.of", { settled: job.settled, records: job.records })}</span>
        {parts
          .filter((part) => job.counts[part] > 0)
          .map((part) => (
            <span key={part} className={`st s-${outcomes[part].family}`}>
              <Icon name={outcomes[part].glyph} />
              {t("number", { value: job.counts[part] })} <span className="sr">{t(outcomes[part].label)}</span>
            </span>
          ))}
      </div>
    </>
  );
}
