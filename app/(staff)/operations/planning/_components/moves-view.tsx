"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { Button } from "@/app/_components/button";
import { Ref } from "@/app/_components/ref";
import { useTRPC } from "@/app/_trpc/client";
import { MoveRow } from "./move-row";
import type { ChosenMoves } from "./use-chosen-moves";

type Props = {
  id: string;
  clinic: string | undefined;
  /** Under the queue where there is room beside the panel, else inside of it. */
  place: "inpane" | "inpanel";
  chosen: ChosenMoves;
};

/** Who moves, from where, to where, why, and which place the patient knows of. Only what changes is bold. */
export function MovesView({ id, clinic, place, chosen }: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const pages = useInfiniteQuery(
    trpc.planningViews.moves.infiniteQueryOptions(
      { clinic, id },
      { getNextPageParam: (page) => page?.next ?? undefined, initialCursor: null, staleTime: 5_000, refetchInterval: 10_000 },
    ),
  );
  const first = pages.data?.pages[0];
  const moves = pages.data?.pages.flatMap((page) => page?.moves ?? []) ?? [];
  if (!first || moves.length === 0) return null;
  const { ref, zone, counts, told } = first;
  const heading = `moves-${place}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
    <section className={`mvs ${place}`} aria-labelledby={heading} tabIndex={0}>
      <div className="mvh">
        <h2 id={heading}>
          {t("planning.before")}, <Ref>{ref}</Ref>
        </h2>
        <span className="c">{t.rich("planning.moveCounts", { ...counts, b: (chunks: ReactNode) => <b>{chunks}</b> })}</span>
        <span className="sp" />
        <span className="c">{told === null ? t("planning.toldAfter") : t("planning.toldSoFar", { count: told.sent, all: told.all })}</span>
      </div>
      <table className="mvt">
        <caption className="sr">{t("planning.movesOf", { ref })}</caption>
        <colgroup>
          <col className="a" />
          <col className="b" />
          <col className="c" />
          <col className="d" />
          <col />
          <col className="f" />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">{t("planning.col.appointment")}</th>
            <th scope="col">{t("planning.col.before")}</th>
            <td />
            <th scope="col">{t("planning.col.after")}</th>
            <th scope="col">{t("planning.col.why")}</th>
            <th scope="col">{t("planning.col.told")}</th>
          </tr>
        </thead>
        <tbody>
          {moves.map((move) => (
            <MoveRow key={move.appointmentId} move={move} zone={zone} chosen={chosen} />
          ))}
        </tbody>
      </table>
      {pages.hasNextPage && (
        <div className="p-3">
          <Button size="sm" busy={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
            {t("planning.moreMoves")}
          </Button>
        </div>
      )}
    </section>
  );
}
