"use client";

import Link from "next/link";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { DecisionBadge } from "@/app/_components/frame/decision-badge";
import { type Place, pathOf, placesOf } from "@/app/_components/frame/frame-data";
import { KeysButton } from "@/app/_components/frame/keys-button";
import { placeLooks as look } from "@/app/_components/frame/place-looks";
import { Icon } from "@/app/_components/icon";
import { useKeys } from "@/app/_components/use-keys";

export function Rail({ roles }: { roles: string[] }) {
  const t = useTranslations();
  const router = useRouter();
  const pathname = usePathname();
  const clinic = useSearchParams().get("clinic");
  const places = placesOf(roles);
  const href = (place: Place) => (clinic ? `${pathOf[place]}?clinic=${encodeURIComponent(clinic)}` : pathOf[place]);
  useKeys(Object.fromEntries(places.map((place) => [look[place].key, () => router.push(href(place))])));
  return (
    <nav className="rail" aria-label={t("nav.main")}>
      <div className="brand" title={t("app.name")}>
        <Icon name="mark" label={t("app.name")} />
      </div>
      <div className="nav">
        {places.map((place) => (
          <Link key={place} href={href(place)} prefetch={false} aria-current={pathname.startsWith(pathOf[place]) ? "page" : undefined}>
            <Icon name={look[place].glyph} />
            {t(look[place].word)}
            {(place === "delivery" || place === "planning") && <DecisionBadge of={place} />}
          </Link>
        ))}
        <KeysButton places={places} />
      </div>
    </nav>
  );
}
