import type { Metadata } from "next";
import { forbidden } from "next/navigation";
import { getTranslations } from "next-intl/server";
import type { SearchParams } from "nuqs/server";
import { Refused } from "@/app/_components/refused";
import { readOrRefuse } from "@/app/_trpc/read-or-refuse";
import { getQueryClient, HydrateClient, trpc } from "@/app/_trpc/server";
import { readActor } from "@/server/auth/read-actor";
import { DeskScreen } from "./_components/desk-screen";
import { dateOf, loadDeskUrl } from "./_components/desk-url";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations())("nav.desk") };
}

/** The day of a clinic: of `?clinic=`, else of the first clinic in which the person is front desk. */
export default async function DeskPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const [url, actor] = await Promise.all([loadDeskUrl(searchParams), readActor()]);
  const held = actor?.roles.filter((one) => one.role === "FRONT_DESK") ?? [];
  const own = actor?.clinicIds.find((id) => held.some((one) => one.clinicId === null || one.clinicId === id));
  const wished = url.clinic ?? own;
  if (!actor || !wished) forbidden();
  const client = getQueryClient();
  const clinicId = actor.clinicIds[actor.clinicRefs.indexOf(wished)] ?? wished;
  const day = await readOrRefuse(() => client.fetchQuery(trpc.desk.day.queryOptions({ clinicId, date: dateOf(url.date) })));
  if (day === "OUT_OF_SCOPE") {
    const t = await getTranslations();
    return <Refused title={t("error.scopeTitle", { clinic: wished })}>{t("error.scope")}</Refused>;
  }
  return (
    <HydrateClient>
      <DeskScreen key={clinicId} clinicId={clinicId} userId={actor.userId} />
    </HydrateClient>
  );
}
