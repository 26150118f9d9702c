"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { SkeletonRows } from "@/app/_components/notice";
import { reasonWords } from "@/app/_components/reason-dictionary";
import { Identity } from "@/app/_components/ref";
import { StateMark } from "@/app/_components/state";
import { useTRPC } from "@/app/_trpc/client";
import type { ReplayItemView } from "@/server/domain/replay/read-jobs";
import { EarlierDelivery } from "../../_components/replay/earlier-delivery";
import { outcomes } from "../../_components/replay/replay-words";
import type { Job } from "../../_components/replay/use-replay";

/** Every record that a replay covered with what became of it, once somebody asks for it: of a duplicate, the delivery that was first. */
export function JobItems({ job }: { job: Job }) {
  const t = useTranslations();
  const [isShown, setShown] = useState(false);
  return (
    <>
      <Button look="link" size="sm" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? t("replay.items.hide") : t("replay.items.show", { count: job.records })}
      </Button>
      {isShown && (
        <section aria-label={t("replay.items.of", { ref: job.jobRef ?? "" })}>
          <Page job={job} after={0} />
        </section>
      )}
    </>
  );
}

function Page({ job, after }: { job: Job; after: number }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const [isMore, setMore] = useState(false);
  const page = useQuery(trpc.replay.receipt.queryOptions({ job: job.requestId, after }, { staleTime: 0 }));
  if (page.isPending) return <SkeletonRows rows={2} label={t("replay.items.reading")} />;
  if (!page.data)
    return (
      <p className="text-meta" role="alert">
        {t("replay.items.failed")}
      </p>
    );
  const { items } = page.data;
  const last = items.at(-1)?.position;
  return (
    <>
      <ol className="itl">
        {items.map((item) => (
          <Item key={item.position} item={item} zone={job.zone} />
        ))}
      </ol>
      {last !== undefined &&
        last < job.records &&
        (isMore ? (
          <Page job={job} after={last} />
        ) : (
          <Button look="link" size="sm" onClick={() => setMore(true)}>
            {t("replay.items.more")}
          </Button>
        ))}
    </>
  );
}

function Item({ item, zone }: { item: ReplayItemView; zone: string }) {
  const t = useTranslations();
  const end = item.outcome && outcomes[item.outcome];
  const reason = item.reasonCode ? reasonWords[item.reasonCode] : undefined;
  return (
    <li data-item={item.outcome ?? "OPEN"}>
      <span className="h">
        <Identity value={item.eventId} head={8} tail={4} />
        {end ? (
          <StateMark glyph={end.glyph} family={end.family}>
            {t(end.label)}
          </StateMark>
        ) : (
          <span className="dim">{t("replay.items.open")}</span>
        )}
      </span>
      <span className="dim num">{t("replay.items.place", { partition: item.partition, offset: item.offset })}</span>
      {item.outcome === "DUPLICATE" ? (
        <span className="num">
          <EarlierDelivery
            at={item.earlierAt}
            attempt={item.earlierAttempt}
            partition={item.earlierPartition}
            offset={item.earlierOffset}
            zone={zone}
          />
        </span>
      ) : (
        reason && <span>{t(reason)}</span>
      )}
    </li>
  );
}
