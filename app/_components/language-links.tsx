import { getLocale } from "next-intl/server";
import { keepLocale } from "@/app/_components/preferences-actions";
import { locales } from "@/app/_i18n/locales";

const ownNames = { en: "English", ko: "한국어" };

/** Language before sign-in; forms, so that it works without client code. */
export async function LanguageLinks() {
  const current = await getLocale();
  return (
    <div className="flex gap-2">
      {locales.map((locale) => (
        <form key={locale} action={keepLocale.bind(null, locale)}>
          <button type="submit" className="sel" lang={locale} aria-pressed={locale === current}>
            {ownNames[locale]}
          </button>
        </form>
      ))}
    </div>
  );
}
