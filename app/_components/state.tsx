import clsx from "clsx";
import { useTranslations } from "next-intl";
import { type Glyph, Icon } from "@/app/_components/icon";
import type { Family, StateEntry } from "@/app/_components/state-dictionary";

/** Glyph and word in the colour of the family: colour is never alone. */
export function StateMark({ glyph, family, pill, children }: { glyph: Glyph; family: Family; pill?: boolean; children: string }) {
  return (
    <span className={clsx("st", `s-${family}`, pill && "pill")}>
      <Icon name={glyph} />
      {children}
    </span>
  );
}

/** Word of the state dictionary; the stored code is shown only as evidence. */
export function StateWord({ entry, pill }: { entry: StateEntry; pill?: boolean }) {
  const t = useTranslations();
  return (
    <StateMark glyph={entry.glyph} family={entry.family} pill={pill}>
      {t(entry.label)}
    </StateMark>
  );
}
