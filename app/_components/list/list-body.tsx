"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { Button } from "@/app/_components/button";
import { EmptyState, SkeletonRows } from "@/app/_components/notice";

/** What a list knows of its pages; an infinite query is one. */
export type ListPages = {
  isPending: boolean;
  isError: boolean;
  isSuccess: boolean;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  hasNextPage: boolean;
  refetch(): unknown;
  fetchNextPage(): unknown;
};
type Words = { reading: string; failedTitle: string; failed: string; more: string };

/** The part of a list that scrolls: rows of the real height while it is read, why it could not be, what an empty one means, and the next page. */
export function ListBody({
  pages,
  count,
  words,
  empty,
  children,
}: {
  pages: ListPages;
  count: number;
  words: Words;
  empty: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="scroll" aria-busy={pages.isFetching || undefined}>
      {pages.isPending && <SkeletonRows rows={10} label={words.reading} />}
      {pages.isError && count === 0 && (
        <EmptyState glyph="off" title={words.failedTitle} alert action={<ReadAgain onClick={() => pages.refetch()} />}>
          {words.failed}
        </EmptyState>
      )}
      {pages.isSuccess && count === 0 && empty}
      {count > 0 && children}
      {pages.hasNextPage && (
        <div className="p-4">
          <Button busy={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
            {words.more}
          </Button>
        </div>
      )}
    </div>
  );
}

/** The one act that a failed reading offers. */
export function ReadAgain({ onClick }: { onClick(): void }) {
  const t = useTranslations();
  return (
    <Button size="sm" icon="recalc" onClick={onClick}>
      {t("action.readAgain")}
    </Button>
  );
}
