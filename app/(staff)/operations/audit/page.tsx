import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import type { SearchParams } from "nuqs/server";
import { Refused } from "@/app/_components/refused";
import { readOrRefuse } from "@/app/_trpc/read-or-refuse";
import { getQueryClient, HydrateClient, trpc } from "@/app/_trpc/server";
import { AuditScreen } from "./_components/audit-screen";
import { auditInput, loadAuditUrl } from "./_components/audit-url";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations())("nav.audit") };
}

/** Who did what, with which right, and what came of it. Chain and first page are read here, so the first paint has them. */
export default async function AuditPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const input = auditInput(await loadAuditUrl(searchParams));
  const { clinic } = input;
  const client = getQueryClient();
  const chain = await readOrRefuse(() => client.fetchQuery(trpc.audit.chain.queryOptions({ clinic })));
  if (chain === "OUT_OF_SCOPE") {
    const t = await getTranslations();
    return <Refused title={t("error.scopeTitle", { clinic: clinic ?? "" })}>{t("error.scope")}</Refused>;
  }
  const [me] = await Promise.all([
    client.fetchQuery(trpc.session.me.queryOptions()),
    client.prefetchInfiniteQuery(
      trpc.audit.list.infiniteQueryOptions(input, { getNextPageParam: (page) => page.next ?? undefined, initialCursor: null }),
    ),
    client.prefetchQuery(trpc.audit.count.queryOptions(input)),
    client.prefetchQuery(trpc.audit.acts.queryOptions({ clinic })),
  ]);
  const zones = [...new Set(me.clinics.filter((one) => !clinic || one.ref === clinic || one.id === clinic).map((one) => one.zone))];
  return (
    <HydrateClient>
      <AuditScreen zones={zones} />
    </HydrateClient>
  );
}
