import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { Fragment } from "react";
import { Icon } from "@/app/_components/icon";
import { Refused } from "@/app/_components/refused";
import { readOrRefuse } from "@/app/_trpc/read-or-refuse";
import { getQueryClient, trpc } from "@/app/_trpc/server";
import type { ListedDrill } from "../../_components/listed-drill";
import { type Part, readRunbook } from "../../_components/read-runbook";

type Props = { params: Promise<{ drill: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { drill } = await params;
  return { title: drill };
}

/** What to do when a drill's failure happens unasked: symptom, evidence to read, decision, never do. */
export default async function RunbookPage({ params }: Props) {
  const { drill } = await params;
  const t = await getTranslations();
  const client = getQueryClient();
  const found = await readOrRefuse(() => client.fetchQuery(trpc.drills.list.queryOptions({}))); // the right to read drills
  if (found === "OUT_OF_SCOPE") return <Refused title={t("error.scopeTitle", { clinic: "" })}>{t("error.scope")}</Refused>;
  const listed = found.drills.find(({ name }) => name === drill);
  if (!listed) notFound();
  return <Runbook drill={listed} />;
}

async function Runbook({ drill: { name, runbook } }: { drill: ListedDrill }) {
  const t = await getTranslations();
  const { title, parts } = await readRunbook(name);
  return (
    <main className="main full" id="content">
      <section className="pane" aria-label={t("drill.runbookPage.title", { runbook })}>
        <div className="phead">
          <Link className="sel" href={`/operations/drills?drill=${name}`} prefetch={false}>
            <Icon name="left" />
            {t("drill.runbookPage.back")}
          </Link>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard */}
        <section className="scroll" tabIndex={0} aria-label={title}>
          <article className="runbook" lang="en">
            <h1>{title}</h1>
            {parts.map((part, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text that does not change
              <Shown key={i} part={part} />
            ))}
          </article>
          <p className="runbook dim">{t("drill.runbookPage.onlyEnglish")}</p>
        </section>
      </section>
    </main>
  );
}

function Shown({ part }: { part: Part }) {
  if (part.kind === "h2") return <h2>{part.text}</h2>;
  if (part.kind === "p") return <p>{withCode(part.text)}</p>;
  return (
    <ul>
      {part.items.map((item) => (
        <li key={item}>{withCode(item)}</li>
      ))}
    </ul>
  );
}

/** `names` between back quotes. */
const withCode = (text: string) =>
  text.split("`").map((piece, i) =>
    i % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one sentence
      <code key={i} className="ref">
        {piece}
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one sentence
      <Fragment key={i}>{piece}</Fragment>
    ),
  );
