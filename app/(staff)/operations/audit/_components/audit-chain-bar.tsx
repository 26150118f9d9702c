"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocale, useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { distance, formatTime } from "@/app/_components/time";
import { useTRPC } from "@/app/_trpc/client";
import type { AuditChainView } from "@/server/domain/operations/audit-types";

/** The sealer works every second; more than this is an alarm. */
const lateSeconds = 300;

/** How far the chain was checked and what is not sealed yet; asks for a check and says when it is done. */
export function AuditChainBar({ clinic, zone, live }: { clinic: string | undefined; zone: string; live: boolean }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const client = useQueryClient();
  const chain = useQuery(
    trpc.audit.chain.queryOptions(
      { clinic },
      { refetchInterval: (query) => (!live ? false : query.state.data?.isChecking ? 1_000 : 10_000) },
    ),
  );
  const verify = useMutation(
    trpc.audit.verify.mutationOptions({ onSettled: () => client.invalidateQueries(trpc.audit.chain.queryFilter({ clinic })) }),
  );
  const data = chain.data;
  const isChecking = verify.isPending || data?.isChecking === true;
  return (
    <section className={data?.lastCheck?.fault ? "chain bad" : "chain"} aria-label={t("audit.chain.title")}>
      {data ? (
        <>
          <Verdict chain={data} zone={zone} />
          <Hours chain={data} />
        </>
      ) : (
        <p className="dim">{chain.isError ? t("audit.chain.failed") : t("audit.chain.reading")}</p>
      )}
      <span className="sp" />
      <span className="sr" role="status">
        {isChecking ? t("audit.chain.checking") : ""}
      </span>
      {verify.isError && (
        <span className="s-hold" role="alert">
          {t("audit.chain.notAsked")}
        </span>
      )}
      <Button icon="recalc" busy={isChecking} onClick={() => verify.mutate({ clinic })}>
        {t(isChecking ? "audit.chain.checking" : "audit.chain.verify")}
      </Button>
    </section>
  );
}

function Verdict({ chain, zone }: { chain: AuditChainView; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  const last = chain.lastCheck;
  const at = last ? formatTime(last.finishedAt, zone, "dayClock", locale) : "";
  const title = !last ? "audit.chain.unchecked" : last.fault ? "audit.chain.broken" : "audit.chain.whole";
  return (
    <div className="verdict">
      <b className={!last ? "s-off" : last.fault ? "s-hold" : "s-done"}>
        <Icon name={!last ? "await" : last.fault ? "fail" : "audit"} />
        {t(title)}
      </b>
      {last && (
        <span className="l2">
          {last.fault
            ? t("audit.chain.faultAt", { seq: Number(last.faultSeq), code: last.fault, at })
            : t("audit.chain.through", { seq: Number(last.throughSeq), count: last.checkpoints, at })}
        </span>
      )}
    </div>
  );
}

function Hours({ chain }: { chain: AuditChainView }) {
  const t = useTranslations();
  const most = Math.max(1, ...chain.hours);
  const sealed = chain.hours.reduce((sum, count) => sum + count, 0);
  const oldest = chain.oldestUnsealedSeconds;
  const age = oldest === null ? undefined : distance(oldest * 1_000);
  return (
    <div className="hours">
      <div className="bars" role="img" aria-label={t("audit.chain.hours", { count: sealed })}>
        {chain.hours.map((count, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: hours have no identity but their place
          <i key={n} style={{ opacity: count === 0 ? 0.25 : 0.45 + (0.55 * count) / most }} />
        ))}
        <i className={chain.unsealed > 0 ? "tail" : "tail clear"} />
      </div>
      <div className="legendl">
        <span>{t("audit.chain.day")}</span>
        <span>{t("audit.chain.sealed", { count: Number(chain.sealedThrough ?? 0) })}</span>
        <span className={oldest !== null && oldest > lateSeconds ? "s-hold" : undefined}>
          {chain.unsealed === 0 || !age
            ? t("audit.chain.allSealed")
            : t("audit.chain.unsealed", { count: chain.unsealed, age: t(`time.short.${age.unit}`, { count: age.count }) })}
        </span>
      </div>
    </div>
  );
}
