"use client";

import Link from "next/link";
import { useTranslations } from "next-intl";
import { type ReactNode, useEffect, useRef } from "react";
import { IconButton } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";

type Props = {
  /** Of which row: another one takes the focus anew. */
  of: string;
  /** False when the focus stays where it is. */
  takesFocus: boolean;
  title: ReactNode;
  state?: ReactNode;
  /** The command's story, where there is one. */
  story?: string | null;
  onClose(): void;
  onStep(by: 1 | -1): void;
};

/** Head of an evidence panel: which row, its state, the way to its story, to its neighbours and out. */
export function PanelHead({ of, takesFocus, title, state, story, onClose, onStep }: Props) {
  const t = useTranslations();
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another row is another reading
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [of]);
  return (
    <div className="evh">
      <IconButton name="left" small className="back" label={t("evidence.back")} onClick={onClose} />
      <h2 id="evidence-heading" ref={heading} tabIndex={-1} className="id">
        <span className="sr">{t("evidence.of")} </span>
        {title}
      </h2>
      {state}
      <span className="sp" />
      {story && (
        <Link className="sel storylk" prefetch={false} href={story}>
          <Icon name="story" />
          <span>{t("evidence.story")}</span>
        </Link>
      )}
      <IconButton name="up" small label={t("evidence.previous")} onClick={() => onStep(-1)} />
      <IconButton name="down" small label={t("evidence.next")} onClick={() => onStep(1)} />
      <IconButton name="x" small label={t("evidence.close")} onClick={onClose} />
    </div>
  );
}
