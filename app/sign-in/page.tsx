import type { Metadata, Route } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { LanguageLinks } from "@/app/_components/language-links";
import { Sheet } from "@/app/_components/sheet";
import { readActor } from "@/server/auth/read-actor";
import { safePath } from "./safe-path";
import { SignInForm } from "./sign-in-form";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations())("signIn.title") };
}

type Props = { searchParams: Promise<{ callbackUrl?: string | string[]; email?: string | string[] }> };
const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value) ?? "";

export default async function SignInPage({ searchParams }: Props) {
  const asked = await searchParams;
  const next = safePath(first(asked.callbackUrl));
  if (await readActor()) redirect(next as Route);
  const t = await getTranslations();
  return (
    <Sheet title={t("signIn.title")} text={t("signIn.lead")}>
      <SignInForm next={next} email={first(asked.email)} />
      <div className="flex items-center gap-2">
        <Link className="lk" href="/">
          {t("signIn.back")}
        </Link>
        <span className="flex-1" />
        <LanguageLinks />
      </div>
    </Sheet>
  );
}
