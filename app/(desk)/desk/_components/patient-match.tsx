"use client";

import { useLocale, useTranslations } from "next-intl";
import { Icon } from "@/app/_components/icon";
import { Ref } from "@/app/_components/ref";
import { formatLongDate } from "@/app/_components/time";
import type { PatientView } from "@/server/domain/patients/types";
import { markName, markPhone, type Part } from "./mark-matches";
import type { ChosenPatient } from "./use-booking-form";

type Props = {
  patient: PatientView;
  typed: string;
  likelySame?: boolean;
  /** Another match reads the same, so the mail address stands here too. */
  alike?: boolean;
  onChoose(patient: ChosenPatient): void;
};

/** One person that a search found: what matched is marked, who is likely the same person says so, and the last visit tells the others apart. */
export function PatientMatch({ patient, typed, likelySame, alike, onChoose }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const lastVisit = patient.lastVisit ? t("person.lastVisit", { date: formatLongDate(patient.lastVisit, locale) }) : t("person.noVisit");
  return (
    <button type="button" onClick={() => onChoose({ id: patient.id, ref: patient.ref, name: patient.name })}>
      <Icon name="user" />
      <span className="trunc">
        <b>{patient.name ? <Marked parts={markName(patient.name, typed)} /> : patient.ref}</b>
      </span>
      {likelySame ? (
        <span className="r lk1">
          <Icon name="warn" />
          {t("person.likelySameShort")}
        </span>
      ) : (
        <span className="r">{lastVisit}</span>
      )}
      <small>
        {patient.birthDate && `${formatLongDate(patient.birthDate, locale)} · `}
        {patient.phone ? <Marked parts={markPhone(patient.phone, typed)} /> : t("desk.noPhone")} · <Ref>{patient.ref}</Ref>
        {likelySame && ` · ${lastVisit}`}
        {alike && patient.email && ` · ${patient.email}`}
      </small>
    </button>
  );
}

function Marked({ parts }: { parts: Part[] }) {
  let at = 0;
  return parts.map((part) => {
    const key = at;
    at += part.text.length;
    return part.hit ? <mark key={key}>{part.text}</mark> : <span key={key}>{part.text}</span>;
  });
}

/** Of the people found: those whose name, birth date and phone number are the same as another's. */
export function readAlike(found: readonly PatientView[]): Set<string> {
  const shown = ({ name, birthDate, phone }: PatientView) => JSON.stringify([name, birthDate, phone]);
  return new Set(found.filter((one) => found.some((other) => other.id !== one.id && shown(other) === shown(one))).map(({ id }) => id));
}

/** Of the people found: who shares a birth date or a phone number with one above. */
export function likelySame(found: readonly PatientView[]): Set<string> {
  const digits = (phone: string | null) => phone?.replace(/\D/g, "").replace(/^0+/, "") || null;
  const same = new Set<string>();
  found.forEach((patient, i) => {
    const isSame = (other: PatientView) =>
      (patient.birthDate !== null && other.birthDate === patient.birthDate) ||
      (digits(patient.phone) !== null && digits(other.phone) === digits(patient.phone));
    if (found.slice(0, i).some(isSame)) same.add(patient.id);
  });
  return same;
}
