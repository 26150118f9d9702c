import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import type { SearchParams } from "nuqs/server";
import { Refused } from "@/app/_components/refused";
import { readOrRefuse } from "@/app/_trpc/read-or-refuse";
import { getQueryClient, HydrateClient, trpc } from "@/app/_trpc/server";
import { GroupsScreen } from "./_components/groups-screen";
import { loadGroupsUrl } from "./_components/groups-url";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations())("groups.title") };
}

/** Why rows stopped, and how many for each reason: exact numbers, the largest first. */
export default async function GroupsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { clinic } = await loadGroupsUrl(searchParams);
  const input = { clinic: clinic ?? undefined };
  const read = await readOrRefuse(() =>
    getQueryClient().fetchInfiniteQuery(
      trpc.delivery.groups.infiniteQueryOptions(input, { getNextPageParam: (page) => page.next ?? undefined, initialCursor: null }),
    ),
  );
  if (read === "OUT_OF_SCOPE") {
    const t = await getTranslations();
    return <Refused title={t("error.scopeTitle", { clinic: clinic ?? "" })}>{t("error.scope")}</Refused>;
  }
  return (
    <HydrateClient>
      <GroupsScreen />
    </HydrateClient>
  );
}
