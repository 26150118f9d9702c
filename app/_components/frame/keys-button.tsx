"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Dialog } from "@/app/_components/dialog";
import type { Place } from "@/app/_components/frame/frame-data";
import { Icon } from "@/app/_components/icon";
import { KeyHint } from "@/app/_components/key-hint";
import { keepSingleKeys, singleKeysOn, useKeys } from "@/app/_components/use-keys";
import type { MessageKey } from "@/app/_i18n/messages";

const everywhere: [string, MessageKey][] = [
  ["Ctrl K", "find.title"],
  ["Esc", "keys.close"],
  ["?", "keys.list"],
];
const ofPlace: Record<Place, [string, MessageKey][]> = {
  delivery: [
    ["J K", "keys.move"],
    ["Enter", "keys.open"],
    ["/", "keys.search"],
    ["1 2 3 4", "keys.tiles"],
    ["X", "keys.select"],
    ["A", "keys.assign"],
    ["Q", "keys.keep"],
    ["S", "keys.retry"],
    ["T", "keys.note"],
    ["R", "keys.replay"],
    ["G D", "keys.goDelivery"],
  ],
  planning: [
    ["1 2 3", "keys.tiles3"],
    ["D", "keys.recalculate"],
    ["O", "keys.result"],
    ["G P", "keys.goPlanning"],
  ],
  stories: [["G S", "keys.goStories"]],
  audit: [["G A", "keys.goAudit"]],
  drills: [["G R", "keys.goDrills"]],
  desk: [
    ["N", "keys.new"],
    ["← →", "keys.days"],
    ["T", "keys.today"],
    ["G K", "keys.goDesk"],
  ],
};

/** The list of keys, by `?` or by the rail; only keys that do something in a place of this person are listed. */
export function KeysButton({ places }: { places: Place[] }) {
  const t = useTranslations();
  const [open, setOpen] = useState(false);
  const [on, setOn] = useState(true);
  const show = () => {
    setOn(singleKeysOn());
    setOpen(true);
  };
  useKeys({ "?": show });
  return (
    <>
      <button type="button" className="end" onClick={show} aria-haspopup="dialog">
        <Icon name="kbd" />
        {t("nav.keys")}
      </button>
      <Dialog open={open} onOpenChange={setOpen} title={t("keys.title")}>
        <dl className="kbdlist">
          {[...places.flatMap((place) => ofPlace[place]), ...everywhere].map(([keys, word]) => (
            <div key={keys} className="contents">
              <dt>
                <KeyHint keys={keys} />
              </dt>
              <dd>{t(word)}</dd>
            </div>
          ))}
        </dl>
        <label className="mt-4 flex items-center gap-2">
          <input
            type="checkbox"
            checked={on}
            onChange={(event) => {
              keepSingleKeys(event.target.checked);
              setOn(event.target.checked);
            }}
          />
          {t("keys.single")}
        </label>
      </Dialog>
    </>
  );
}
