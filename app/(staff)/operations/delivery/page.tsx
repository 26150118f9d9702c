import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import type { SearchParams } from "nuqs/server";
import { Refused } from "@/app/_components/refused";
import { readOrRefuse } from "@/app/_trpc/read-or-refuse";
import { getQueryClient, HydrateClient, trpc } from "@/app/_trpc/server";
import { DeliveryScreen } from "./_components/delivery-screen";
import { loadDeliveryUrl, queueInput } from "./_components/delivery-url";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations())("nav.delivery") };
}

/** What arrived, what changed once, and what needs a person. Counts and the first page are read here, all at once, so the first paint has them. */
export default async function DeliveryPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const url = await loadDeliveryUrl(searchParams);
  const { clinic, filter } = queueInput(url);
  const client = getQueryClient();
  const [counts, me] = await Promise.all([
    readOrRefuse(() => client.fetchQuery(trpc.delivery.counts.queryOptions({ clinic }))),
    client.fetchQuery(trpc.session.me.queryOptions()),
    client.prefetchInfiniteQuery(
      trpc.delivery.queue.infiniteQueryOptions(
        { clinic, filter },
        { getNextPageParam: (page) => page.next ?? undefined, initialCursor: null },
      ),
    ),
    client.prefetchQuery(trpc.delivery.consumers.queryOptions({ clinic })),
    client.prefetchQuery(trpc.workers.health.queryOptions({ clinic })), // its line has its height at the first paint
  ]);
  if (counts === "OUT_OF_SCOPE") {
    const t = await getTranslations();
    return <Refused title={t("error.scopeTitle", { clinic: clinic ?? "" })}>{t("error.scope")}</Refused>;
  }
  const zones = [...new Set(me.clinics.filter((one) => !clinic || one.ref === clinic || one.id === clinic).map((one) => one.zone))];
  return (
    <HydrateClient>
      <DeliveryScreen zones={zones} />
    </HydrateClient>
  );
}
