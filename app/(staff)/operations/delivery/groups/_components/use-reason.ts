import { useTranslations } from "next-intl";
import { reasonWords } from "@/app/_components/reason-dictionary";

/** Says a stored reason as a sentence; one without words by its code. */
export function useReason(): (code: string) => string {
  const t = useTranslations();
  return (code) => {
    const word = reasonWords[code];
    return word ? t(word) : t("delivery.reasonCode", { code });
  };
}
