import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { connection } from "next/server";
import { getTranslations } from "next-intl/server";
import { LanguageLinks } from "@/app/_components/language-links";
import { AuditStates } from "./_components/audit-states";
import { ButtonStates } from "./_components/button-states";
import { DeliveryStates } from "./_components/delivery-states";
import { DeskStates } from "./_components/desk-states";
import { DeskViews } from "./_components/desk-views";
import { DictionaryTable } from "./_components/dictionary-table";
import { DrillStates } from "./_components/drill-states";
import { EvidenceStates } from "./_components/evidence-states";
import { FactStates } from "./_components/fact-states";
import { FeedbackStates } from "./_components/feedback-states";
import { FieldStates } from "./_components/field-states";
import { FrameStates } from "./_components/frame-states";
import { ListStates } from "./_components/list-states";
import { MarkStates } from "./_components/mark-states";
import { Part } from "./_components/part";
import { PlanStates } from "./_components/plan-states";
import { PlanningStates } from "./_components/planning-states";
import { ReplayStates } from "./_components/replay-states";
import { Stage } from "./_components/stage";
import { isStage, stageNames } from "./_components/stage-names";
import { StoryStates } from "./_components/story-states";
import { TileStates } from "./_components/tile-states";

export const metadata: Metadata = { title: "Design" };

/**
 * Every component in every state, for development and for the screenshot test; DESIGN_PAGE=on shows it in a production build too. What floats or takes the
 * focus is drawn alone, with `?open=`.
 */
export default async function DesignPage({ searchParams }: { searchParams: Promise<{ open?: string }> }) {
  await connection(); // the answer depends on the process, not on the build
  if (process.env.NODE_ENV === "production" && process.env.DESIGN_PAGE !== "on") notFound();
  const { open } = await searchParams;
  if (isStage(open)) return <Stage name={open} />;
  const t = await getTranslations();
  return (
    <main id="content" className="h-dvh overflow-auto bg-surface">
      <h1 className="px-6 pt-5 pb-3 text-page font-semibold leading-7">{t("design.title")}</h1>
      <div className="grid gap-8 px-6 pb-12 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="grid min-w-0 content-start gap-6">
          <Opened />
          <DictionaryTable />
        </div>
        <div className="grid min-w-0 content-start gap-6">
          <ButtonStates />
          <MarkStates />
          <FeedbackStates />
          <FieldStates />
          <ListStates />
        </div>
        <div className="grid min-w-0 content-start gap-6">
          <DeskStates />
          <FactStates />
        </div>
        <div className="grid min-w-0 content-start gap-6">
          <EvidenceStates />
          <ReplayStates />
          <PlanStates />
        </div>
        <div className="grid min-w-0 gap-6 xl:col-span-2">
          <TileStates />
          <FrameStates />
          <DeskViews />
          <PlanningStates />
          <AuditStates />
          <DrillStates />
          <StoryStates />
          <DeliveryStates />
        </div>
      </div>
    </main>
  );
}

/** Ways to what floats, and the choice of the language before sign-in. */
function Opened() {
  return (
    <Part name="LanguageLinks, Menu, Dialog">
      <LanguageLinks />
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {stageNames.map((name) => (
          <li key={name}>
            <a href={`/design?open=${name}`}>{name}</a>
          </li>
        ))}
      </ul>
    </Part>
  );
}
