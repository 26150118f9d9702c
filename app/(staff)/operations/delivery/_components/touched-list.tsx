"use client";

import { useLocale, useTranslations } from "next-intl";
import { roleWords } from "@/app/_components/frame/role-words";
import { Ref } from "@/app/_components/ref";
import { Time } from "@/app/_components/time";
import { actWord } from "@/app/(staff)/operations/audit/_components/audit-dictionary";
import { auditResultWord } from "@/app/(staff)/operations/stories/_components/story-dictionary";
import type { Touch } from "@/server/domain/operations/delivery-evidence";

/** Who acted on the command, in which role, with which result: by short reference, as the audit has it. */
export function TouchedList({ touched, zone }: { touched: Touch[]; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  return (
    <section className="sec">
      <div className="sech">
        <h3>{t("evidence.touchedBy")}</h3>
      </div>
      <ul className="grid gap-1">
        {touched.map((touch) => {
          const entry = auditResultWord(touch.result);
          const word = actWord(touch.act);
          const role = roleWords[touch.actorRole as keyof typeof roleWords];
          return (
            <li key={`${touch.at}.${touch.act}.${touch.actorRef}`} className="flex flex-wrap items-center gap-x-2 text-meta">
              <Ref>{touch.actorRef}</Ref>
              {role && <span className="dim">{t(role)}</span>}
              <span>{word ? t(word) : touch.act}</span>
              <span className="dim">{t(entry.label)}</span>
              <span className="dim ml-auto num">
                <Time at={touch.at} zone={zone} as="seconds" locale={locale} />
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
