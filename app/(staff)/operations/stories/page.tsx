import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import type { SearchParams } from "nuqs/server";
import { Refused } from "@/app/_components/refused";
import { readOrRefuse } from "@/app/_trpc/read-or-refuse";
import { getQueryClient, HydrateClient, trpc } from "@/app/_trpc/server";
import { StoriesScreen } from "./_components/stories-screen";
import { loadStoriesUrl } from "./_components/stories-url";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations())("nav.stories") };
}

/** Commands of the scope, newest first, each with a page of its own. */
export default async function StoriesPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const url = await loadStoriesUrl(searchParams);
  const clinic = url.clinic ?? undefined;
  const client = getQueryClient();
  const options = trpc.stories.list.infiniteQueryOptions(
    { clinic, search: url.q.trim() || undefined },
    { getNextPageParam: (page) => page.next ?? undefined, initialCursor: null },
  );
  const first = await readOrRefuse(() => client.fetchInfiniteQuery(options));
  if (first === "OUT_OF_SCOPE") {
    const t = await getTranslations();
    return <Refused title={t("error.scopeTitle", { clinic: clinic ?? "" })}>{t("error.scope")}</Refused>;
  }
  return (
    <HydrateClient>
      <StoriesScreen />
    </HydrateClient>
  );
}
