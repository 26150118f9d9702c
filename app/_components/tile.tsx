"use client";

import { useTranslations } from "next-intl";
import { Icon } from "@/app/_components/icon";
import { StateWord } from "@/app/_components/state";
import type { StateEntry } from "@/app/_components/state-dictionary";

type Count =
  | { kind: "loading" }
  | { kind: "unknown"; since?: string }
  | { kind: "known"; value: number; window: string /** what a phone says in its place */; short?: string };

/** Bars of the trend; decoration beside the count, the last bar is the newest hour. */
function Trend({ bars, family }: { bars: number[]; family: string }) {
  const max = Math.max(1, ...bars);
  return (
    <svg className="spark" width="60" height="20" viewBox="0 0 60 20" aria-hidden="true">
      {bars.map((n, i) => {
        const height = n === 0 ? 1 : Math.max(2, (n / max) * 19);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: position is the identity of a bar
            key={i}
            x={i * 5 + 0.5}
            y={20 - height}
            width="3.5"
            height={height}
            rx="1"
            fill={`var(--${family}-solid)`}
            opacity={i === bars.length - 1 ? 1 : 0.42}
          />
        );
      })}
    </svg>
  );
}

/** Count as a toggle filter. An unknown count is a dash with a sentence, never 0. */
export function Tile({
  entry,
  meaning,
  count,
  bars,
  pressed,
  onToggle,
}: {
  entry: StateEntry;
  meaning: string;
  count: Count;
  bars?: number[];
  pressed: boolean;
  onToggle(): void;
}) {
  const t = useTranslations();
  return (
    <button type="button" className="tile" aria-pressed={pressed} aria-busy={count.kind === "loading" || undefined} onClick={onToggle}>
      <span className="top">
        <StateWord entry={entry} />
        {pressed && <Icon name="filter" label={t("tile.filterOn")} className="fi" />}
        {bars && count.kind === "known" && <Trend bars={bars} family={entry.family} />}
        {bars && count.kind === "known" && <span className="sr">{t("tile.trend", { values: bars.join(", ") })}</span>}
      </span>
      <span className="mid">
        {count.kind === "loading" && <span className="sk" style={{ width: 40, height: 18, alignSelf: "center" }} />}
        {count.kind === "unknown" && <span className="count dim">–</span>}
        {count.kind === "unknown" && count.since && <span className="delta">{count.since}</span>}
        {count.kind === "known" && <span className="count">{t("number", { value: count.value })}</span>}
        {count.kind === "known" && <span className={count.short ? "delta wide" : "delta"}>{count.window}</span>}
        {count.kind === "known" && count.short && <span className="delta phone">{count.short}</span>}
      </span>
      <span className="mean">{count.kind === "loading" ? t("tile.counting") : count.kind === "unknown" ? t("tile.unknown") : meaning}</span>
    </button>
  );
}
