"use client";

import Link from "next/link";
import { useTranslations } from "next-intl";
import { Button, IconButton } from "@/app/_components/button";
import { buttonClass } from "@/app/_components/button-class";
import { Part } from "./part";

const looks = ["primary", "bordered", "quiet", "link"] as const;

/** Every look of a button: at rest, in the focus, busy, and off with its reason beside it; the three sizes, the square one, and a link that looks like one. */
export function ButtonStates() {
  const t = useTranslations();
  return (
    <Part name="Button, IconButton">
      {looks.map((look) => (
        <div key={look} className="flex flex-wrap items-center gap-2">
          <Button look={look} icon="replay">
            {t("next.reviewReplay")}
          </Button>
          <Button look={look} className="is-focus">
            {t("next.openEvidence")}
          </Button>
          <Button look={look} busy>
            {t("desk.book")}
          </Button>
          <Button look={look} icon="lock" offBecause="why-off">
            {t("next.reviewReplay")}
          </Button>
        </div>
      ))}
      <p id="why-off" className="text-meta text-3rd">
        {t("design.off")}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm">{t("action.readAgain")}</Button>
        <Button>{t("action.readAgain")}</Button>
        <Button size="lg">{t("action.readAgain")}</Button>
        <Link className={buttonClass({ look: "bordered" })} prefetch={false} href="/design">
          {t("error.home")}
        </Link>
        <IconButton name="x" label={t("action.close")} />
        <IconButton name="left" small label={t("desk.previousDay")} />
        <IconButton name="right" small label={t("desk.nextDay")} className="is-focus" />
      </div>
    </Part>
  );
}
