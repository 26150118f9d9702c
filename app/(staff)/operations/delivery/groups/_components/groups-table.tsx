"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useLocale, useTranslations } from "next-intl";
import { Fragment } from "react";
import { buttonClass } from "@/app/_components/button-class";
import { Ref } from "@/app/_components/ref";
import { distance, epochMs, Time } from "@/app/_components/time";
import type { ReasonGroup } from "@/server/domain/operations/reason-groups";
import { RangeButton } from "./range-button";
import { RangeForm } from "./range-form";
import { useReason } from "./use-reason";

type Props = {
  groups: ReasonGroup[];
  focusId: string | null;
  nowMs: number | undefined;
  /** The group whose replay form is open. */
  openId: string | null;
  onFocusRow(id: string): void;
  onOpenForm(id: string | null): void;
};

/** The rows of a group, as a filter of the queue. */
const rowsOf = (group: ReasonGroup): string =>
  `/operations/delivery?${new URLSearchParams({
    clinic: group.clinicRef,
    view: "decision",
    reason: group.reasonCode,
    ...(group.rowKind === "inbox" ? { consumer: group.consumer } : {}),
  })}`;

export function GroupsTable({ groups, focusId, nowMs, openId, onFocusRow, onOpenForm }: Props) {
  const t = useTranslations();
  const router = useRouter();
  const inTabOrder = focusId ?? groups[0]?.id;
  const sayReason = useReason();
  return (
    <table className="q groups">
      <caption className="sr">{t("groups.label")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("groups.col.reason")}</th>
          <th scope="col">{t("delivery.col.consumer")}</th>
          <th scope="col">{t("groups.col.records")}</th>
          <th scope="col">{t("groups.col.oldest")}</th>
          <th scope="col">{t("delivery.col.nextAction")}</th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <Fragment key={group.id}>
            <tr
              data-row={group.id}
              tabIndex={group.id === inTabOrder ? 0 : -1}
              onFocus={() => onFocusRow(group.id)}
              onClick={() => router.push(rowsOf(group))}
              onKeyDown={(event) => {
                if (event.key === "Enter" && event.target === event.currentTarget) router.push(rowsOf(group));
              }}
            >
              <Reason group={group} />
              <td>
                <span className="l1">{group.consumer}</span>
                <span className="l2">{t(group.rowKind === "inbox" ? "boundary.inbox" : "boundary.outbox")}</span>
              </td>
              <td>
                <span className="l1 num b6">{t("number", { value: group.open })}</span>
                {group.kept > 0 && <span className="l2 num">{t("groups.kept", { count: group.kept })}</span>}
              </td>
              <td>
                <Oldest group={group} nowMs={nowMs} />
              </td>
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: only keeps the row from taking the click of a control */}
              <td className="ac" onClick={(event) => event.stopPropagation()}>
                {group.rowKind === "inbox" && (
                  <RangeButton
                    group={group}
                    isOpen={group.id === openId}
                    tabIndex={group.id === inTabOrder ? 0 : -1}
                    onOpen={() => onOpenForm(group.id)}
                  />
                )}
                <Link
                  className={buttonClass({ look: "link", size: "sm" })}
                  prefetch={false}
                  href={rowsOf(group)}
                  tabIndex={group.id === inTabOrder ? 0 : -1}
                  aria-label={`${t("groups.show")}, ${sayReason(group.reasonCode)}, ${group.consumer}, ${group.clinicRef}`}
                >
                  {t("groups.show")}
                </Link>
              </td>
            </tr>
            {group.id === openId && group.rowKind === "inbox" && (
              <tr className="formrow">
                <td colSpan={5}>
                  <RangeForm group={group} onClose={() => onOpenForm(null)} />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

function Reason({ group }: { group: ReasonGroup }) {
  const sayReason = useReason();
  return (
    <td>
      <span className="l1 b6">{sayReason(group.reasonCode)}</span>
      <span className="l2">
        <Ref>{group.clinicRef}</Ref>
      </span>
    </td>
  );
}

function Oldest({ group, nowMs }: { group: ReasonGroup; nowMs: number | undefined }) {
  const t = useTranslations();
  const locale = useLocale();
  if (!group.oldestAt) return null;
  const apart = nowMs === undefined ? undefined : distance(nowMs - epochMs(group.oldestAt));
  return (
    <>
      <span className="l1 num">{apart ? t(`time.short.${apart.unit}`, { count: apart.count }) : "–"}</span>
      <span className="l2 num">
        <Time at={group.oldestAt} zone={group.zone} as="dayClock" locale={locale} />
      </span>
    </>
  );
}
