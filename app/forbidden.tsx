import Link from "next/link";
import { getTranslations } from "next-intl/server";
import { buttonClass } from "@/app/_components/button-class";
import { Sheet } from "@/app/_components/sheet";

export default async function Forbidden() {
  const t = await getTranslations();
  return (
    <Sheet title={t("error.forbiddenTitle")} text={t("error.forbidden")}>
      <Link className={buttonClass({})} href="/">
        {t("error.home")}
      </Link>
    </Sheet>
  );
}
