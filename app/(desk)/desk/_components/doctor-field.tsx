"use client";

import { useTranslations } from "next-intl";
import { SegmentedControl, SelectField } from "@/app/_components/field";
import type { DeskColumn } from "@/server/domain/operations/desk-day";
import { shortNames } from "./short-names";

/** So many names stand beside each other in a drawer. */
const segmentsMax = 4;
export const hasSegments = (doctors: readonly DeskColumn[]): boolean => doctors.length <= segmentsMax;

type Props = {
  doctors: readonly DeskColumn[];
  value: string;
  /** Of the chosen treatment; null: every doctor gives it. */
  providerType: string | null;
  locked: boolean;
  onChange(doctorId: string): void;
};

/** With whom: any doctor or one of them. Who does not give the treatment stays in sight, off, and is named with the reason. */
export function DoctorField({ doctors, value, providerType, locked, onChange }: Props) {
  const t = useTranslations();
  const fits = (doctor: DeskColumn) => providerType === null || doctor.providerType === providerType;
  if (!hasSegments(doctors))
    return (
      <SelectField label={t("desk.doctor")} value={value} locked={locked} onChange={(event) => onChange(event.target.value)}>
        <option value="any">{t("desk.anyDoctor")}</option>
        {doctors.map((doctor) => (
          <option key={doctor.id} value={doctor.id} disabled={!fits(doctor)}>
            {fits(doctor) ? doctor.name : t("desk.doctorOff", { name: doctor.name })}
          </option>
        ))}
      </SelectField>
    );
  const names = shortNames(doctors.map(({ name }) => name));
  const off = doctors.filter((doctor) => !fits(doctor));
  return (
    <SegmentedControl
      label={t("desk.doctor")}
      name="doctor"
      value={value}
      locked={locked}
      hint={off.length > 0 ? t("desk.doctorsOff", { names: off.map(({ name }) => name).join(", ") }) : undefined}
      choices={[
        { value: "any", label: t("desk.any"), name: t("desk.anyDoctor") },
        ...doctors.map((doctor, n) => ({ value: doctor.id, label: names[n], name: doctor.name, off: !fits(doctor) })),
      ]}
      onChange={onChange}
    />
  );
}
