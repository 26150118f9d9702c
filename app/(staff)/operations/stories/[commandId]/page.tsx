import { TRPCError } from "@trpc/server";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslations } from "next-intl/server";
import type { SearchParams } from "nuqs/server";
import { Refused } from "@/app/_components/refused";
import { readOrRefuse } from "@/app/_trpc/read-or-refuse";
import { getQueryClient, HydrateClient, trpc } from "@/app/_trpc/server";
import { loadStoriesUrl } from "../_components/stories-url";
import { StoryScreen } from "./_components/story-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations())("story.title") };
}

/** What the server cannot read now is asked for by the browser: it says that it is being read, or that it could not be, and reads it again. */
function leaveToBrowser(error: unknown): "UNREAD" {
  if (error instanceof TRPCError) return "UNREAD";
  throw error;
}

/** The story of one command: its head and the first part of its records are read here. */
export default async function StoryPage(props: { params: Promise<{ commandId: string }>; searchParams: Promise<SearchParams> }) {
  const { commandId } = await props.params;
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(commandId)) notFound();
  const url = await loadStoriesUrl(props.searchParams);
  const clinic = url.clinic ?? undefined;
  const input = { clinic, commandId: commandId.toLowerCase() };
  const client = getQueryClient();
  const head = await readOrRefuse(() => client.fetchQuery(trpc.stories.head.queryOptions(input))).catch(leaveToBrowser);
  if (head === "OUT_OF_SCOPE") {
    const t = await getTranslations();
    return <Refused title={t("error.scopeTitle", { clinic: clinic ?? "" })}>{t("error.scope")}</Refused>;
  }
  if (head !== "UNREAD")
    await client.prefetchInfiniteQuery(
      trpc.stories.records.infiniteQueryOptions(input, { getNextPageParam: (part) => part.next ?? undefined, initialCursor: null }),
    );
  return (
    <HydrateClient>
      <StoryScreen commandId={input.commandId} clinic={clinic} />
    </HydrateClient>
  );
}
