import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import type { SearchParams } from "nuqs/server";
import { Refused } from "@/app/_components/refused";
import { readOrRefuse } from "@/app/_trpc/read-or-refuse";
import { getQueryClient, HydrateClient, trpc } from "@/app/_trpc/server";
import { DrillsScreen } from "./_components/drills-screen";
import { loadDrillsUrl } from "./_components/drills-url";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations())("nav.drills") };
}

/** Failures that are practised: the last run of each, what it does not prove, and where it is started. */
export default async function DrillsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const url = await loadDrillsUrl(searchParams);
  const clinic = url.clinic ?? undefined;
  const client = getQueryClient();
  const found = await readOrRefuse(() => client.fetchQuery(trpc.drills.list.queryOptions({ clinic })));
  if (found === "OUT_OF_SCOPE") {
    const t = await getTranslations();
    return <Refused title={t("error.scopeTitle", { clinic: clinic ?? "" })}>{t("error.scope")}</Refused>;
  }
  const me = await client.fetchQuery(trpc.session.me.queryOptions());
  const zone = me.clinics.find((one) => !clinic || one.ref === clinic || one.id === clinic)?.zone ?? "UTC";
  return (
    <HydrateClient>
      <DrillsScreen zone={zone} />
    </HydrateClient>
  );
}
