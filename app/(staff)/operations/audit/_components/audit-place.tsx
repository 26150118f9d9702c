"use client";

import { useLocale, useTranslations } from "next-intl";
import { Icon } from "@/app/_components/icon";
import { Identity } from "@/app/_components/ref";
import { Time } from "@/app/_components/time";
import type { AuditEntryView } from "@/server/domain/operations/audit-types";

/** The seals before and after, and whether both digests hold when they are computed again now. */
export function AuditPlace({ entry, zone }: { entry: AuditEntryView; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  const { place, seq } = entry;
  return (
    <section className="sec">
      <div className="sech">
        <h3>{t("audit.place.title")}</h3>
        <span className="sp" />
        <span className="r st">
          <Icon name={place ? "audit" : "clock"} />
          {place ? (
            <>
              {t("audit.place.sealed")} <Time at={place.sealedAt} zone={zone} as="seconds" locale={locale} />
            </>
          ) : (
            t("audit.place.waiting")
          )}
        </span>
      </div>
      {place && seq ? (
        <>
          <ol className="links">
            {place.before && <Line seq={place.before.seq} hash={place.before.hash} word={t("audit.place.before")} />}
            <Line seq={seq} hash={place.hash} word={t("audit.place.this")} isThis />
            {place.after && <Line seq={place.after.seq} hash={place.after.hash} word={t("audit.place.after")} />}
          </ol>
          <ul className="chk">
            <Check holds={place.digestHolds} at={entry.asOf} zone={zone}>
              {t(place.digestHolds === false ? "audit.place.digestDiffers" : "audit.place.digestHolds")}
            </Check>
            <Check holds={place.linkHolds} at={entry.asOf} zone={zone}>
              {place.before
                ? t(place.linkHolds === false ? "audit.place.linkBroken" : "audit.place.linkHolds", { seq: Number(place.before.seq) })
                : t(place.linkHolds === false ? "audit.place.startBroken" : "audit.place.startHolds")}
            </Check>
          </ul>
        </>
      ) : (
        <p className="dim">
          {t("audit.place.digestNow")} <Identity value={entry.digest} head={8} tail={4} />
        </p>
      )}
    </section>
  );
}

function Line({ seq, hash, word, isThis }: { seq: string; hash: string; word: string; isThis?: boolean }) {
  const t = useTranslations();
  return (
    <li className={isThis ? "this" : undefined}>
      <span className="num">{t("audit.place.seq", { seq: Number(seq) })}</span>
      <Identity value={hash} head={8} tail={6} />
      <span className="dim">{word}</span>
    </li>
  );
}

/** null: it cannot be judged, because the key that made it is gone. */
function Check({ holds, at, zone, children }: { holds: boolean | null; at: string; zone: string; children: string }) {
  const t = useTranslations();
  const locale = useLocale();
  const look = holds === null ? "n" : holds ? "p" : "f";
  const glyph = holds === null ? "await" : holds ? "done" : "fail";
  return (
    <li className={look}>
      <Icon name={glyph} label={t(holds === null ? "audit.place.unknown" : holds ? "audit.place.pass" : "audit.place.fail")} />
      <span className="t">
        {holds === null ? t("audit.place.keyGone") : children}
        <em className="num">
          <Time at={at} zone={zone} as="seconds" locale={locale} />
        </em>
      </span>
    </li>
  );
}
