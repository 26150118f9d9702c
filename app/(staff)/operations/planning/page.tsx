import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import type { SearchParams } from "nuqs/server";
import { Refused } from "@/app/_components/refused";
import { readOrRefuse } from "@/app/_trpc/read-or-refuse";
import { getQueryClient, HydrateClient, trpc } from "@/app/_trpc/server";
import { PlanningScreen } from "./_components/planning-screen";
import { loadPlanningUrl, planningInput } from "./_components/planning-url";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations())("nav.planning") };
}

/** Which calculation was applied, which was refused, and why. Counts and the first page are read here, so the first paint has them. */
export default async function PlanningPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const input = planningInput(await loadPlanningUrl(searchParams));
  const { clinic } = input;
  const client = getQueryClient();
  const counts = await readOrRefuse(() => client.fetchQuery(trpc.planningViews.counts.queryOptions({ clinic })));
  if (counts === "OUT_OF_SCOPE") {
    const t = await getTranslations();
    return <Refused title={t("error.scopeTitle", { clinic: clinic ?? "" })}>{t("error.scope")}</Refused>;
  }
  const [me] = await Promise.all([
    client.fetchQuery(trpc.session.me.queryOptions()),
    client.prefetchInfiniteQuery(
      trpc.planningViews.queue.infiniteQueryOptions(input, { getNextPageParam: (page) => page.next ?? undefined, initialCursor: null }),
    ),
    client.prefetchQuery(trpc.planningViews.head.queryOptions(input)),
  ]);
  const clinics = me.clinics.filter((one) => !clinic || one.ref === clinic || one.id === clinic);
  return (
    <HydrateClient>
      <PlanningScreen clinics={clinics.map(({ ref, name, zone }) => ({ ref, name, zone }))} daysMax={counts.daysMax} />
    </HydrateClient>
  );
}
