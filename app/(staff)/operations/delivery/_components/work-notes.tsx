"use client";

import { useLocale, useTranslations } from "next-intl";
import { Ref } from "@/app/_components/ref";
import { Time } from "@/app/_components/time";
import type { MessageKey } from "@/app/_i18n/messages";
import type { DeliveryWork, WorkNote } from "@/server/domain/operations/delivery-work";

const noteWords: Record<WorkNote["act"], MessageKey> = {
  ASSIGNED: "act.noted.ASSIGNED",
  HANDED_OVER: "act.noted.HANDED_OVER",
  NOTED: "act.noted.NOTED",
  RETRY_SCHEDULED: "act.noted.RETRY_SCHEDULED",
  KEPT: "act.noted.KEPT",
  PUBLISH_RETRIED: "act.noted.PUBLISH_RETRIED",
  PUBLISH_SKIPPED: "act.noted.PUBLISH_SKIPPED",
  SEQUENCE_RELEASED: "act.noted.SEQUENCE_RELEASED",
};

/** Who has the row, what waits behind it, and every note and reason that was ever written about it. */
export function WorkNotes({ work, zone }: { work: DeliveryWork; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  if (work.notes.length === 0 && !work.status && work.followers === 0) return null;
  return (
    <section className="sec">
      <div className="sech">
        <h3>{t("act.notes")}</h3>
        <span className="sp" />
        <span className="r">
          {work.assigneeRef ? t("act.hasIt", { ref: work.assigneeRef }) : work.status === "OPEN" && t("act.nobody")}
        </span>
      </div>
      {work.followers > 0 && <p className="dim text-meta">{t("act.followers", { count: work.followers })}</p>}
      {work.notes.length > 0 && (
        <ol className="notes">
          {work.notes.map((note) => (
            <li key={note.id}>
              <span className="flex flex-wrap items-center gap-x-2 text-meta">
                <Ref>{note.authorRef}</Ref>
                <span>
                  {t(noteWords[note.act], { to: note.toRef ?? "" })}
                  {note.forAt && (
                    <>
                      {" "}
                      <Time at={note.forAt} zone={zone} as="seconds" locale={locale} />
                    </>
                  )}
                </span>
                <span className="dim ml-auto num">
                  <Time at={note.at} zone={zone} as="seconds" locale={locale} />
                </span>
              </span>
              {note.text && <p>{note.text}</p>}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
