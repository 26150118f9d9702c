import { useLocale, useTranslations } from "next-intl";
import { formatTime } from "@/app/_components/time";

type Props = { at: string | null; attempt: number | null; partition: number | null; offset: string | null; zone: string };

/** Of what was done before: when, at which attempt and where in the log. That it was done is the answer, and no failure. */
export function EarlierDelivery({ at, attempt, partition, offset, zone }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  if (at === null) return <>{t("replay.earlierGone")}</>;
  return (
    <>
      {t("replay.earlier", {
        at: formatTime(at, zone, "daySeconds", locale),
        attempt: attempt ?? 1,
        partition: partition ?? 0,
        offset: offset ?? "",
      })}
    </>
  );
}
