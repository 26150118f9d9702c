"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import type { AffectedView, FactWish } from "@/server/domain/clinics/fact-types";
import type { ListedFact } from "@/server/domain/clinics/list-facts";
import type { DeskColumn, DeskDay } from "@/server/domain/operations/desk-day";
import { AffectedList } from "./affected-list";
import { FactFields, type Typed, wishOf } from "./fact-form";
import { FactProblemNotice } from "./fact-problem";
import { kindWords } from "./fact-words";
import { problemOf } from "./read-problem";
import { useFactCommand } from "./use-fact-command";

type Props = {
  day: DeskDay;
  column: DeskColumn;
  start: Typed;
  /** The one that is changed; null: a new one. */
  changes: ListedFact | null;
  offBecause: string | undefined;
  onSaved(affected: AffectedView): void;
  onCancel(): void;
};

/** Two steps: what it would leave without a place is shown first, then it is saved. Another field is another question. */
export function FactEditor({ day, column, start, changes, offBecause, onSaved, onCancel }: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const clinicId = day.clinic.id;
  const [typed, setTyped] = useState(start);
  const [asked, setAsked] = useState<FactWish | null>(null);
  const [isMissing, setMissing] = useState(false);
  const preview = useQuery(
    trpc.facts.preview.queryOptions(
      { clinicId, fact: withoutWords(asked) as FactWish, factId: changes?.id },
      { enabled: asked !== null, staleTime: 0, retry: false },
    ),
  );
  const { busy, problem, send, forget } = useFactCommand((body) => onSaved(body.affected ?? { count: 0, visits: [], days: [] }));
  const wish = wishOf(typed, column);
  const change = (next: Partial<Typed>) => {
    setTyped({ ...typed, ...next });
    setAsked(null);
    setMissing(false);
    forget();
  };
  const look = () => (wish ? setAsked(wish) : setMissing(true));
  const save = () => {
    const fact = asked;
    if (!fact || offBecause) return;
    const factOf = changes ? { factId: changes.id, version: changes.version } : null;
    void send({ fact, factOf }, (key) =>
      factOf ? client.facts.change.mutate({ clinicId, key, ...factOf, fact }) : client.facts.add.mutate({ clinicId, key, fact }),
    );
  };
  const isSeen = asked !== null && preview.data !== undefined && !preview.isFetching;
  const refused = asked !== null && preview.isError ? problemOf(preview.error) : null;
  return (
    <form
      className="sec grid gap-3"
      noValidate
      aria-label={t(kindWords[typed.kind])}
      onSubmit={(event) => {
        event.preventDefault();
        if (isSeen) save();
        else look();
      }}
    >
      <FactFields typed={typed} column={column} locked={busy} onChange={change} />
      {isMissing && <FactProblemNotice problem={{ code: "request-invalid" }} />}
      {refused && <FactProblemNotice problem={refused} />}
      {problem && <FactProblemNotice problem={problem} />}
      {isSeen && <AffectedList affected={preview.data} day={day} />}
      <div className="flex flex-wrap gap-2">
        {isSeen ? (
          <Button look="primary" type="submit" busy={busy} offBecause={offBecause}>
            {t(problem === "lost" ? "retry.now" : "facts.save", { count: preview.data.count })}
          </Button>
        ) : (
          <Button look="primary" type="submit" busy={preview.isFetching}>
            {t("facts.look")}
          </Button>
        )}
        <Button look="quiet" onClick={onCancel}>
          {t("facts.cancel")}
        </Button>
      </div>
      {!isSeen && <p className="text-meta text-3rd">{t("facts.lookFirst")}</p>}
    </form>
  );
}

/** Why somebody is absent does not belong into the address of a question. */
function withoutWords(fact: FactWish | null): object {
  if (!fact) return { kind: "closure", input: { from: "2000-01-01", until: "2000-01-01" } }; // never asked
  const { reason, label, ...input } = fact.input as Record<string, unknown>;
  return { kind: fact.kind, input };
}
