"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import type { Choice } from "@/app/_components/frame/command-dialog";
import { pathOf, placesOf } from "@/app/_components/frame/frame-data";
import { placeLooks } from "@/app/_components/frame/place-looks";
import { appointmentStates, deliveryStates, outboxStates, planningStates } from "@/app/_components/state-dictionary";
import { useTRPC } from "@/app/_trpc/client";

const plansMax = 5;

type Wish = { text: string; roles: readonly string[]; clinic: string | undefined; deskClinic: string | undefined };

/** Places while nothing is typed; then what the reference leads to, for each role that the person holds. Asked once a pause of typing. */
export function useFoundReferences({ text, roles, clinic, deskClinic }: Wish): {
  choices: Choice[];
  isReading: boolean;
  isFailed: boolean;
} {
  const t = useTranslations();
  const trpc = useTRPC();
  const typed = text.trim();
  const [asked, setAsked] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  const isStaff = roles.includes("STAFF");
  const isDesk = roles.includes("FRONT_DESK") && deskClinic !== undefined;
  const wants = asked !== "";
  const found = useQuery({
    ...trpc.stories.find.queryOptions({ clinic, text: asked || "-" }),
    enabled: wants && isStaff,
  });
  const plans = useQuery({
    ...trpc.planningViews.head.queryOptions({ clinic, filter: { search: asked || "-" } }),
    enabled: wants && isStaff,
  });
  const visits = useQuery({
    ...trpc.desk.findVisits.queryOptions({ clinicId: deskClinic ?? "-", text: asked || "-" }),
    enabled: wants && isDesk,
  });
  const inScope = (path: string, more: Record<string, string> = {}) => {
    const query = new URLSearchParams({ ...(clinic ? { clinic } : {}), ...more });
    return query.size > 0 ? `${path}?${query}` : path;
  };
  if (typed === "") {
    const choices = placesOf(roles).map((place): Choice => {
      const { glyph, word } = placeLooks[place];
      return { id: place, group: t("find.places"), glyph, word: t(word), href: inScope(pathOf[place]) };
    });
    return { choices, isReading: false, isFailed: false };
  }
  const choices: Choice[] = [];
  for (const visit of (isDesk && visits.data) || [])
    choices.push({
      id: `visit.${visit.appointmentId}`,
      group: t("find.visits"),
      glyph: "desk",
      reference: visit.ref,
      word: `${t(appointmentStates[visit.status as keyof typeof appointmentStates].label)}, ${visit.patientRef}`,
      end: `${visit.localDate} ${visit.localTime}`,
      href: `/desk?${new URLSearchParams({ clinic: deskClinic ?? "", date: visit.localDate, visit: visit.appointmentId })}`,
    });
  for (const line of (isStaff && found.data?.stories) || [])
    choices.push({
      id: `story.${line.commandId}`,
      group: t("find.stories"),
      glyph: "story",
      reference: line.appointmentRef ?? line.clinicRef,
      word: t("story.effect", { calls: line.calls, changes: line.changes, sent: line.sent }),
      href: inScope(`/operations/stories/${line.commandId}`),
    });
  for (const row of (isStaff && found.data?.rows) || [])
    choices.push({
      id: `row.${row.id}`,
      group: t("find.rows"),
      glyph: "delivery",
      reference: row.appointmentRef ?? row.clinicRef,
      word: row.consumer ?? t("boundary.http"),
      end: t((row.state === "PUBLISH_FAILED" ? outboxStates.FAILED : deliveryStates[row.state]).label),
      href: inScope(pathOf.delivery, { q: typed, row: row.id }),
    });
  for (const row of (isStaff && plans.data?.rows.slice(0, plansMax)) || [])
    if (row.kind === "run")
      choices.push({
        id: `plan.${row.id}`,
        group: t("find.plans"),
        glyph: "planning",
        reference: row.ref,
        word: row.clinicRef,
        end: t(planningStates[row.state].label),
        href: inScope(pathOf.planning, { q: typed, row: row.id }),
      });
  const queries = [...(isStaff ? [found, plans] : []), ...(isDesk ? [visits] : [])];
  const isReading = typed !== asked || queries.some((query) => query.isFetching);
  return { choices, isReading, isFailed: queries.some((query) => query.isError) };
}
