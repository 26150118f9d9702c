"use client";

import { useTranslations } from "next-intl";
import { useActionState } from "react";
import { buttonClass } from "@/app/_components/button-class";
import { Field } from "@/app/_components/field";
import { Notice } from "@/app/_components/notice";
import { distance } from "@/app/_components/time";
import { enter, type SignInState } from "./actions";

export function SignInForm({ next, email }: { next: string; email: string }) {
  const t = useTranslations();
  const [state, action, pending] = useActionState<SignInState, FormData>(enter, { email });
  const wait = distance((state.retryAfterSeconds ?? 0) * 1000);
  const missing = (field: "email" | "password") => state.missing?.includes(field);
  return (
    <form action={action} className="grid gap-3" noValidate>
      {state.problem === "wrong" && (
        <Notice glyph="fail" family="hold" alert>
          {t("signIn.wrong")}
        </Notice>
      )}
      {state.problem === "throttled" && (
        <Notice glyph="wait" family="wait" alert>
          {t("signIn.throttled", { wait: t(`time.short.${wait.unit}`, { count: wait.count }) })}
        </Notice>
      )}
      {state.problem === "failed" && (
        <Notice glyph="off" family="wait" alert>
          {t("signIn.failed")}
        </Notice>
      )}
      <input type="hidden" name="next" value={next} />
      <Field
        label={t("signIn.email")}
        name="email"
        type="email"
        autoComplete="username"
        defaultValue={state.email}
        key={state.email}
        error={missing("email") ? t("signIn.emailMissing") : null}
      />
      <Field
        label={t("signIn.password")}
        name="password"
        type="password"
        autoComplete="current-password"
        error={missing("password") ? t("signIn.passwordMissing") : null}
      />
      <div>
        <button type="submit" className={buttonClass({ look: "primary", size: "lg" })} aria-disabled={pending || undefined}>
          {t("signIn.submit")}
        </button>
      </div>
    </form>
  );
}
