import { getTranslations } from "next-intl/server";
import { roleWords } from "@/app/_components/frame/role-words";
import { Refused } from "@/app/_components/refused";

/** A missing right is said by name; the refusal is in the audit. */
export default async function Forbidden() {
  const t = await getTranslations();
  return <Refused title={t("error.forbiddenTitle")}>{t("error.rightMissing", { right: t(roleWords.STAFF), code: "STAFF" })}</Refused>;
}
