"use client";

import clsx from "clsx";
import Link from "next/link";
import { useLocale, useTranslations } from "next-intl";
import { type CSSProperties, useState } from "react";
import { Button } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { formatTime, Time } from "@/app/_components/time";
import type { MessageKey } from "@/app/_i18n/messages";
import type { StoryHead, StoryRecord } from "@/server/domain/operations/story-types";
import { useApart } from "../../_components/use-apart";
import { foldTries, type GapKind, type StoryGap } from "./story-gaps";
import { laneCount, lanes, type StoryNode, type StoryRow, storyRows, storyWires, type Wire } from "./story-rows";
import { useLaneWords } from "./use-lane-words";
import { useStoryWords } from "./use-story-words";

type Props = { head: StoryHead; records: StoryRecord[]; clinic: string | undefined };

/**
 * The records as rows of time and columns of identity. DOM order is time order and each node holds its own sentence, so that what the lines and
 * columns show is also said. Below 1280 px the same list stands without columns.
 */
export function StoryGraph({ head, records, clinic }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const [isUnfolded, setUnfolded] = useState(false);
  const all = storyRows(head, records);
  const { rows: foldedRows, folded } = foldTries(all);
  const rows = isUnfolded ? all : foldedRows;
  const count = laneCount(head);
  const words = useLaneWords(head);
  const { zone } = head.scope;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
    <section className="scroll story" aria-label={t("story.records")} tabIndex={0} style={{ "--lanes": count } as CSSProperties}>
      <div className="lanes" aria-hidden="true">
        <span className="bd" style={{ gridColumn: `${lanes.call + 2} / ${lanes.change + 2}` }}>
          {t("story.boundary.command")}
          <span>{t("story.boundary.commandOf")}</span>
        </span>
        <span className="bd" style={{ gridColumn: `${lanes.change + 2} / ${lanes.log + 2}` }}>
          {t("story.boundary.transaction")}
          <span>{t("story.boundary.transactionOf")}</span>
        </span>
        <span className="bd" style={{ gridColumn: `${lanes.log + 2} / -1` }}>
          {t("story.boundary.consumer")}
          <span>{t("story.boundary.consumerOf")}</span>
        </span>
        <span className="tm">{records[0] && formatTime(records[0].at, zone, "day", locale)}</span>
        {words.map(({ name, counted }, lane) => (
          <span key={name} className={clsx("ln", isBoundary(lane) && "g")}>
            <span className="n">{name}</span>
            <span className="c">{counted}</span>
          </span>
        ))}
      </div>
      <div className="cv">
        <div className="vls" aria-hidden="true">
          {words.map(({ name }, lane) => (
            <i key={name} className={isBoundary(lane) ? "g" : undefined} style={{ gridColumn: lane + 2 }} />
          ))}
        </div>
        <div className="wires" aria-hidden="true" style={{ gridTemplateRows: `repeat(${rows.length}, 53px)` }}>
          {storyWires(head, rows).map((wire) => (
            <WireLine key={`${wire.kind}.${wire.from.join()}.${wire.to.join()}`} wire={wire} />
          ))}
        </div>
        <ol>
          {rows.map((row) => (
            <Row
              key={`${row.at}.${row.nodes[0]?.record.id}`}
              row={row}
              zone={zone}
              isOnlyChange={head.counts.changes === 1}
              laneNames={words.map((word) => word.name)}
              clinic={clinic}
            />
          ))}
        </ol>
      </div>
      {folded > 0 && (
        <div className="px-6 py-2">
          <Button size="sm" onClick={() => setUnfolded(!isUnfolded)} aria-expanded={isUnfolded}>
            {t(isUnfolded ? "story.foldTries" : "story.unfoldTries", { count: folded })}
          </Button>
        </div>
      )}
    </section>
  );
}

const isBoundary = (lane: number) => lane === lanes.call || lane === lanes.change || lane === lanes.log;

type RowProps = { row: StoryRow; zone: string; isOnlyChange: boolean; laneNames: string[]; clinic: string | undefined };

function Row({ row, zone, isOnlyChange, laneNames, clinic }: RowProps) {
  const t = useTranslations();
  const locale = useLocale();
  const apart = useApart();
  const band = row.isTransaction ? row.nodes.map((node) => node.lane) : [];
  return (
    <li className={clsx("rw", row.isTransaction && "tx")}>
      <span className="tc">
        <b>
          <Time at={row.at} zone={zone} as="millis" locale={locale} />
        </b>
        {row.afterMs !== null && row.afterMs > 0 && <i>+{apart(row.afterMs)}</i>}
      </span>
      {row.gap && <Gap gap={row.gap} lane={laneNames[row.gap.lane] ?? ""} isLast={row.gap.lane === laneNames.length - 1} />}
      {row.isTransaction && (
        <span className="txb" style={{ gridColumn: `${Math.min(...band) + 2} / ${Math.max(...band) + 3}` }}>
          <span>{t(isOnlyChange ? "story.transactionOnly" : "story.transaction")}</span>
        </span>
      )}
      {row.nodes.map((node) => (
        <Node key={`${node.record.id}.${node.part}`} node={node} zone={zone} lane={laneNames[node.lane] ?? ""} clinic={clinic} />
      ))}
    </li>
  );
}

const gapWords: Record<GapKind, MessageKey> = {
  CALLED_AGAIN: "story.between.CALLED_AGAIN",
  UNPUBLISHED: "story.between.UNPUBLISHED",
  UNCONFIRMED: "story.between.UNCONFIRMED",
  REDELIVERED: "story.between.REDELIVERED",
  UNSENT: "story.between.UNSENT",
  UNDECIDED: "story.between.UNDECIDED",
};

/** What was missing before this instant, on the edge of its row in the column of what ended it. */
function Gap({ gap, lane, isLast }: { gap: StoryGap; lane: string; isLast: boolean }) {
  const t = useTranslations();
  const apart = useApart();
  const text = gap.tries > 0 ? t("story.moreTries", { count: gap.tries }) : t(gapWords[gap.kind], { apart: apart(gap.ms) });
  return (
    <span className={clsx("gapchip", isLast && "end")} style={{ gridColumn: gap.lane + 2 }}>
      <span className="sr">{lane}: </span>
      {text}
    </span>
  );
}

function Node({ node, zone, lane, clinic }: { node: StoryNode; zone: string; lane: string; clinic: string | undefined }) {
  const say = useStoryWords(zone);
  const { glyph, family, title, second, sentence, isReuse } = say(node);
  const style = { gridColumn: node.lane + 2 };
  const className = clsx("snd", isReuse ? "k-reuse" : `k-${family}`, node.record.inTransaction && "intx");
  const body = (
    <>
      <span className="lane" aria-hidden="true">
        {lane}
      </span>
      <span className="a" aria-hidden="true">
        <Icon name={glyph} />
        {title}
      </span>
      <span className="b" aria-hidden="true">
        {second}
      </span>
      <span className="sr">{sentence}</span>
    </>
  );
  const { rowId } = node.record;
  if (!rowId) {
    return (
      <span className={className} style={style} title={sentence}>
        {body}
      </span>
    );
  }
  const query = new URLSearchParams({ ...(clinic ? { clinic } : {}), row: rowId });
  return (
    <Link className={className} style={style} title={sentence} prefetch={false} href={`/operations/delivery?${query}`}>
      {body}
    </Link>
  );
}

/** A line drawn by the borders of one grid item: half a row and half a column are taken off where it starts and ends. */
function WireLine({ wire }: { wire: Wire }) {
  const [fromRow, fromLane] = wire.from;
  const [toRow, toLane] = wire.to;
  const across = wire.kind === "down-right" ? toLane - fromLane : toLane - fromLane + 1;
  if (wire.kind === "left-down") return <i className="left-down" style={leftDown(wire)} />;
  const last = wire.kind === "right-down" ? toLane + 3 : wire.kind === "down" ? fromLane + 3 : toLane + 2;
  const style = {
    gridRow: `${fromRow + 1} / ${toRow + 2}`,
    gridColumn: `${(wire.kind === "right-down" ? fromLane + 1 : fromLane) + 2} / ${last}`,
    "--across": wire.kind === "right-down" ? across - 1 : across,
  } as CSSProperties;
  return <i className={wire.kind} style={style} />;
}

/** From the left edge of the cause, over to the column of the effect, and down. */
function leftDown({ from: [fromRow, fromLane], to: [toRow, toLane] }: Wire): CSSProperties {
  return {
    gridRow: `${fromRow + 1} / ${toRow + 2}`,
    gridColumn: `${toLane + 2} / ${fromLane + 2}`,
    "--across": fromLane - toLane,
  } as CSSProperties;
}
