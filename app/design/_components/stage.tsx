"use client";

import { useTranslations } from "next-intl";
import type { ReactElement } from "react";
import { Button } from "@/app/_components/button";
import { roleWords } from "@/app/_components/frame/role-words";
import { Refused } from "@/app/_components/refused";
import { Sheet } from "@/app/_components/sheet";
import { DayFailed } from "@/app/(desk)/desk/_components/day-failed";
import { BookingStage } from "./booking-stage";
import { EvidenceStage } from "./evidence-stage";
import { FindStage } from "./find-stage";
import { AccountMenuStage, DialogStage, FactsMenuStage, KeysStage, MenuStage, ScopeMenuStage } from "./menu-stages";
import type { StageName } from "./stage-names";

const nothing = () => {};

const stages: Record<StageName, () => ReactElement> = {
  menu: MenuStage,
  "menu-scope": ScopeMenuStage,
  "menu-account": AccountMenuStage,
  "menu-facts": FactsMenuStage,
  dialog: DialogStage,
  "dialog-keys": KeysStage,
  find: () => <FindStage typed="" />,
  "find-found": () => <FindStage typed="APT-7F3K00" finds="some" />,
  "find-reading": () => <FindStage typed="APT-7F3K00" />,
  "find-failed": () => <FindStage typed="APT-7F3K00" fails />,
  "find-none": () => <FindStage typed="APT-7F3K00" finds="none" />,
  "booking-missing": () => <BookingStage state="missing" />,
  "booking-refused": () => <BookingStage state="refused" />,
  "booking-unanswered": () => <BookingStage state="unanswered" />,
  "evidence-reading": () => <EvidenceStage state="reading" />,
  "evidence-failed": () => <EvidenceStage state="failed" />,
  "evidence-gone": () => <EvidenceStage state="gone" />,
  "no-right": NoRightStage,
  sheet: SheetStage,
  "day-failed": () => <DayFailed onRead={nothing} />,
};

/** One thing that floats or fills a page, opened as a person would have it. */
export function Stage({ name }: { name: StageName }) {
  const Shown = stages[name];
  return <Shown />;
}

function NoRightStage() {
  const t = useTranslations();
  return <Refused title={t("error.forbiddenTitle")}>{t("error.rightMissing", { right: t(roleWords.STAFF), code: "STAFF" })}</Refused>;
}

function SheetStage() {
  const t = useTranslations();
  return (
    <Sheet title={t("error.title")} text={t("error.text", { code: "2931" })}>
      <Button icon="recalc">{t("action.readAgain")}</Button>
    </Sheet>
  );
}
