"use client";

import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";

/**
 * Rows that need a decision in the scope of the URL, and nothing else. No badge while the count is unknown or 0. A query of
 * its own: it is drawn before the page, and a shared one would hold the page's numbers back.
 */
export function DecisionBadge({ of }: { of: "delivery" | "planning" }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const clinic = useSearchParams().get("clinic") ?? undefined;
  const asked = { delivery: trpc.delivery.needsDecision, planning: trpc.planningViews.needsDecision }[of];
  const { data: count = 0 } = useQuery(asked.queryOptions({ clinic }, { refetchInterval: 15_000 }));
  if (count === 0) return null;
  return (
    <span className="n">
      <span aria-hidden="true">{count > 99 ? "99+" : count}</span>
      <span className="sr">{t("nav.needDecision", { count })}</span>
    </span>
  );
}
