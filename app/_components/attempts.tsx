import clsx from "clsx";
import { useTranslations } from "next-intl";

/** "2 of 5" with pips; the hold colour at the limit repeats what the words say. */
export function Pips({ used, max }: { used: number; max: number }) {
  return (
    <span className={clsx("pips", used >= max && "max")} aria-hidden="true">
      {Array.from({ length: max }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: position is the identity of a pip
        <b key={i} className={i < used ? "f" : undefined} />
      ))}
    </span>
  );
}

export function AttemptsCell({ used, max }: { used: number; max: number }) {
  const t = useTranslations();
  return (
    <>
      <span className="l1 num">{t("attempts.of", { used, max })}</span>
      <Pips used={used} max={max} />
    </>
  );
}
