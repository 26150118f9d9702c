import type { Metadata, Route } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { buttonClass } from "@/app/_components/button-class";
import { homeOf } from "@/app/_components/frame/frame-data";
import { LanguageLinks } from "@/app/_components/language-links";
import { Sheet } from "@/app/_components/sheet";
import { DemoSignIns } from "@/app/sign-in/demo-sign-ins";
import { SignOutForm } from "@/app/sign-in/sign-out";
import { readActor } from "@/server/auth/read-actor";

export async function generateMetadata(): Promise<Metadata> {
  return { title: { absolute: (await getTranslations())("app.name") } };
}

/** What this is, for whoever is not signed in; everybody else goes on to their first screen. */
export default async function RootPage() {
  const actor = await readActor();
  const home = actor && homeOf(actor.roles.map((held) => held.role));
  if (home) redirect(home as Route);
  const t = await getTranslations();
  return (
    <Sheet title={t("root.title")} text={t("root.lead")}>
      {actor ? (
        <SignOutForm>
          <p>{t("root.noPlace")}</p>
          <div>
            <button type="submit" className={buttonClass({})}>
              {t("user.signOut")}
            </button>
          </div>
        </SignOutForm>
      ) : (
        <div>
          <Link className={buttonClass({ look: "primary", size: "lg" })} href="/sign-in">
            {t("root.signIn")}
          </Link>
        </div>
      )}
      {!actor && <DemoSignIns />}
      <LanguageLinks />
    </Sheet>
  );
}
