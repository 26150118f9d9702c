"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { useTRPC } from "@/app/_trpc/client";
import type { ReasonGroup } from "@/server/domain/operations/reason-groups";
import { useReason } from "./use-reason";

const right = "APPOINTMENT_REPLAY_OPERATOR";

/** Opens the form of a range replay. Who lacks the right sees it off, with the right by name; the server decides anyway. */
export function RangeButton({
  group,
  isOpen,
  tabIndex,
  onOpen,
}: {
  group: ReasonGroup;
  isOpen: boolean;
  tabIndex: number;
  onOpen(): void;
}) {
  const t = useTranslations();
  const trpc = useTRPC();
  const sayReason = useReason();
  const me = useQuery(trpc.session.me.queryOptions());
  if (isOpen) return <span className="dim mr-2">{t("replay.range.formOpen")}</span>;
  const isOff = me.data !== undefined && !me.data.user.roles.includes(right);
  const whyId = `range-off-${group.id}`;
  return (
    <>
      <Button
        size="sm"
        icon={isOff ? "lock" : undefined}
        offBecause={isOff ? whyId : undefined}
        tabIndex={tabIndex}
        aria-label={`${t("replay.range.open")}, ${sayReason(group.reasonCode)}, ${group.consumer}, ${group.clinicRef}`}
        onClick={onOpen}
      >
        {t("replay.range.open")}
      </Button>
      {isOff && (
        <span className="l2" id={whyId}>
          {t("replay.range.rightMissing", { right })}
        </span>
      )}
    </>
  );
}
