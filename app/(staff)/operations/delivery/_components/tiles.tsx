"use client";

import { useTranslations } from "next-intl";
import { deliveryStates } from "@/app/_components/state-dictionary";
import { Tile } from "@/app/_components/tile";
import type { MessageKey } from "@/app/_i18n/messages";
import type { DeliveryCounts } from "@/server/domain/operations/delivery-counts";
import type { TileState } from "./delivery-url";

export const tileOrder = ["PROCESSED", "DUPLICATE", "RETRYABLE", "QUARANTINED"] as const;

const shortWords: Record<TileState, MessageKey> = {
  PROCESSED: "delivery.short.PROCESSED",
  DUPLICATE: "delivery.short.DUPLICATE",
  RETRYABLE: "delivery.short.RETRYABLE",
  QUARANTINED: "delivery.short.QUARANTINED",
};

type Props = { counts: DeliveryCounts | undefined; failed: boolean; pressed: TileState[]; onToggle(state: TileState): void };

/** Four numbers counted from the records, each a filter. Finished and reused are of 24 hours; waiting and stopped are now. */
export function DeliveryTiles({ counts, failed, pressed, onToggle }: Props) {
  const t = useTranslations();
  const of = { PROCESSED: counts?.processed, DUPLICATE: counts?.duplicate, RETRYABLE: counts?.retry, QUARANTINED: counts?.quarantined };
  return (
    <section className="tiles" aria-label={t("delivery.tiles")}>
      {tileOrder.map((state) => {
        const count = of[state];
        const now = state === "RETRYABLE" || state === "QUARANTINED";
        const words = count && t(now ? "delivery.windowNow" : "delivery.window24", { count: count.lastHour });
        return (
          <Tile
            key={state}
            entry={deliveryStates[state]}
            meaning={t(deliveryStates[state].meaning)}
            count={
              count
                ? { kind: "known", value: count.count, window: words ?? "", short: t(shortWords[state]) }
                : failed
                  ? { kind: "unknown" }
                  : { kind: "loading" }
            }
            bars={count?.bars}
            pressed={pressed.includes(state)}
            onToggle={() => onToggle(state)}
          />
        );
      })}
    </section>
  );
}
