"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useEffect, useRef, useState } from "react";
import { Field, FieldError } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import { Ref } from "@/app/_components/ref";
import { useTRPC } from "@/app/_trpc/client";
import { NewPatientForm } from "./new-patient-form";
import { likelySame, PatientMatch, readAlike } from "./patient-match";
import type { ChosenPatient } from "./use-booking-form";

type Props = {
  clinicId: string;
  chosen: ChosenPatient | null;
  locked: boolean;
  missing: boolean;
  onChoose(patient: ChosenPatient | null): void;
};

/** Finds a person by part of the name, phone or birth date, or adds one. */
export function PatientField({ clinicId, chosen, locked, missing, onChoose }: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState("");
  const [adding, setAdding] = useState(false);
  const adder = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed.trim()), 250); // one search a word, not one a letter
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useQuery(trpc.desk.findPatients.queryOptions({ clinicId, query: asked }, { enabled: asked.length >= 2 && !chosen }));

  if (chosen) {
    return (
      <div className="fl">
        <span className="lb">{t("desk.patient")}</span>
        <div className={locked ? "in lockd" : "in"}>
          <Icon name="user" />
          <b className="b5 trunc">{chosen.name ?? chosen.ref}</b>
          {chosen.name && <Ref className="dim">{chosen.ref}</Ref>}
          <span className="sp" />
          {!locked && (
            <button type="button" className="lk" onClick={() => onChoose(null)}>
              {t("desk.change")}
            </button>
          )}
        </div>
      </div>
    );
  }
  const startName = /\d/.test(typed) ? "" : typed.trim();
  if (adding) {
    return (
      <NewPatientForm
        clinicId={clinicId}
        startName={startName}
        onAdded={(patient) => {
          setAdding(false);
          onChoose(patient);
        }}
        onCancel={() => {
          setAdding(false);
          setTimeout(() => adder.current?.focus()); // once it is back
        }}
      />
    );
  }
  const searching = asked.length >= 2;
  const same = likelySame(found.data ?? []);
  const alike = readAlike(found.data ?? []);
  return (
    <div className="fl">
      <Field
        label={t("desk.patient")}
        hint={t("desk.patientHint")}
        glyph="search"
        value={typed}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
        error={missing ? t("desk.missing.patient") : null}
      />
      <section className="pts" aria-label={t("desk.matches")}>
        {searching &&
          found.data?.map((patient) => (
            <PatientMatch
              key={patient.id}
              patient={patient}
              typed={asked}
              likelySame={same.has(patient.id)}
              alike={alike.has(patient.id)}
              onChoose={onChoose}
            />
          ))}
        <button ref={adder} type="button" className="new" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          <span>
            <b>{t("desk.newPatient")}</b>
            {startName && ` “${startName}”`}
          </span>
          <span className="r">{searching && found.data ? t("desk.matchCount", { count: found.data.length }) : ""}</span>
        </button>
      </section>
      <span className="sr" role="status">
        {searching && found.data ? t("desk.matchCount", { count: found.data.length }) : ""}
      </span>
      {found.isError && <FieldError>{t("desk.searchFailed")}</FieldError>}
    </div>
  );
}
