"use client";

import { useQueries } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { Notice } from "@/app/_components/notice";
import { useTRPC } from "@/app/_trpc/client";
import { PatientMatch } from "./patient-match";
import type { ChosenPatient } from "./use-booking-form";

type Props = { clinicId: string; ids: readonly string[]; typedName: string; typedPhone: string; onChoose(patient: ChosenPatient): void };

/** People who are likely the one being added: using one of them is a click, adding another one a decision. */
export function LikelyDuplicates({ clinicId, ids, typedName, typedPhone, onChoose }: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const found = useQueries({ queries: ids.map((patientId) => trpc.desk.patient.queryOptions({ clinicId, patientId })) });
  return (
    <div className="grid gap-2">
      <Notice glyph="warn" family="wait" title={t("person.likelySame")} alert>
        {t("person.useOrAdd")}
      </Notice>
      <section className="pts" aria-label={t("person.likelySame")}>
        {found.map(
          ({ data }) =>
            data && (
              <PatientMatch key={data.id} patient={data} typed={data.phone && typedPhone ? typedPhone : typedName} onChoose={onChoose} />
            ),
        )}
      </section>
    </div>
  );
}
