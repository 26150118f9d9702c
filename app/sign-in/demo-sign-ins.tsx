import Link from "next/link";
import { getTranslations } from "next-intl/server";
import { webEnv } from "@/server/env";

/** Sign-ins of the demo; nothing anywhere else. Each opens the sign-in page with its address filled in. */
export async function DemoSignIns() {
  const { DEMO, DEMO_SIGN_INS: signIns = [] } = webEnv();
  if (!DEMO || signIns.length === 0) return null;
  const t = await getTranslations();
  return (
    <section className="grid gap-2 border-t border-line pt-4" aria-labelledby="demo-sign-ins">
      <h2 id="demo-sign-ins" className="text-title font-semibold leading-6">
        {t("root.demoTitle")}
      </h2>
      <p className="text-2nd">{t("root.demoNote")}</p>
      <ul className="grid gap-2 sm:grid-cols-2">
        {signIns.map(({ email, password, says }) => (
          <li key={email}>
            <Link className="lk" href={{ pathname: "/sign-in", query: { email } }} prefetch={false}>
              {says}
            </Link>
            <span className="flex flex-wrap gap-x-4 text-2nd">
              <span className="ref">{email}</span>
              <span className="ref">{password}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
