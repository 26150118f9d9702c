import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { connection } from "next/server";
import { getTranslations } from "next-intl/server";
import { ComponentStates } from "./_components/component-states";
import { DeliveryStates } from "./_components/delivery-states";
import { DeskStates } from "./_components/desk-states";
import { DictionaryTable } from "./_components/dictionary-table";
import { FrameStates } from "./_components/frame-states";
import { StoryStates } from "./_components/story-states";

export const metadata: Metadata = { title: "Design" };

/** Every component in every state, for development and for the screenshot test; DESIGN_PAGE=on shows it in a production build too. */
export default async function DesignPage() {
  await connection(); // the answer depends on the process, not on the build
  if (process.env.NODE_ENV === "production" && process.env.DESIGN_PAGE !== "on") notFound();
  const t = await getTranslations();
  return (
    <main id="content" className="h-dvh overflow-auto bg-surface">
      <h1 className="px-6 pt-5 pb-3 text-page font-semibold leading-7">{t("design.title")}</h1>
      <div className="grid gap-8 px-6 pb-12 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <DictionaryTable />
        <ComponentStates />
        <DeskStates />
        <div className="grid min-w-0 gap-6 xl:col-span-2">
          <FrameStates />
          <StoryStates />
          <DeliveryStates />
        </div>
      </div>
    </main>
  );
}
