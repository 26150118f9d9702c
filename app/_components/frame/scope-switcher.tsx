"use client";

import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import type { FrameData } from "@/app/_components/frame/frame-data";
import { Icon } from "@/app/_components/icon";
import { Menu, MenuChoices } from "@/app/_components/menu";
import { Ref } from "@/app/_components/ref";

type Props = { tenantGroup: FrameData["tenantGroup"]; clinics: FrameData["clinics"]; mayAll: boolean };

/** Tenant group and clinic of everything on the page. The choice is `?clinic=` in the URL; changing it drops selection and filters. */
export function ScopeSwitcher({ tenantGroup, clinics, mayAll }: Props) {
  const t = useTranslations();
  const router = useRouter();
  const pathname = usePathname();
  const wished = useSearchParams().get("clinic");
  const everywhere = mayAll && !pathname.startsWith("/desk"); // a desk is always the desk of one clinic
  const current = clinics.find((clinic) => clinic.ref === wished) ?? (everywhere ? undefined : clinics[0]);
  const page = pathname.startsWith("/operations/stories/") ? "/operations/stories" : pathname; // a story belongs to the scope it was opened in
  const choose = (ref: string) => router.push(ref === "" ? page : `${page}?clinic=${encodeURIComponent(ref)}`);
  const choices = clinics.map((clinic) => ({ value: clinic.ref, label: clinic.name, end: <Ref>{clinic.ref}</Ref> }));
  return (
    <>
      <span className="scopebtn tg">
        <Icon name="group" />
        <span className="lab">{t("scope.tenantGroup")}</span>
        <span className="val">{tenantGroup.name}</span>
        <Ref className="dim">{tenantGroup.ref}</Ref>
      </span>
      <span className="slash" aria-hidden="true">
        /
      </span>
      <Menu
        label={t("scope.clinic")}
        trigger={
          <button type="button" className="scopebtn">
            <Icon name="clinic" />
            <span className="lab">{t("scope.clinic")}</span>
            <span className="val">{current?.name ?? t("scope.allClinics")}</span>
            {current ? <Ref className="dim">{current.ref}</Ref> : <span className="dim">{clinics.length}</span>}
            <Icon name="down" />
          </button>
        }
      >
        <MenuChoices
          label={t("scope.clinic")}
          value={current?.ref ?? ""}
          onChange={choose}
          choices={everywhere ? [{ value: "", label: t("scope.allClinics"), end: clinics.length }, ...choices] : choices}
        />
      </Menu>
    </>
  );
}
