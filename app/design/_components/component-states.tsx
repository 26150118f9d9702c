"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { AttemptsCell } from "@/app/_components/attempts";
import { Button, IconButton } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Field, SegmentedControl, SelectField } from "@/app/_components/field";
import { KeyHint } from "@/app/_components/key-hint";
import { KeyIdentity, KeyValue, KeyValueList } from "@/app/_components/key-value";
import { LiveIndicator } from "@/app/_components/live-indicator";
import { Menu, MenuChoices } from "@/app/_components/menu";
import { NotRead } from "@/app/_components/not-read";
import { EmptyState, Notice, SkeletonRows } from "@/app/_components/notice";
import { Ref } from "@/app/_components/ref";
import { StateWord } from "@/app/_components/state";
import { auditResults, deliveryStates, outboxStates } from "@/app/_components/state-dictionary";
import { Tile } from "@/app/_components/tile";
import { Part } from "./part";

const at = Date.UTC(2026, 7, 18, 12, 6, 22); // a fixed moment, so that two screenshots are alike
const bars = [2, 2, 3, 3, 4, 5, 6, 7, 7, 6, 8, 9];

/** Each component in each of its states, side by side. Names of parts are those of the code and are not translated. */
export function ComponentStates() {
  const t = useTranslations();
  const [open, setOpen] = useState(false);
  const [choice, setChoice] = useState("any");
  return (
    <div className="grid content-start gap-6">
      <Part name="Button">
        <div className="flex flex-wrap gap-2">
          <Button look="primary" icon="replay">
            {t("next.reviewReplay")}
          </Button>
          <Button>{t("next.openEvidence")}</Button>
          <Button look="quiet">{t("delivery.clear")}</Button>
          <Button look="link">{t("next.readResult")}</Button>
          <Button look="primary" busy>
            {t("desk.book")}
          </Button>
          <Button offBecause="why-off" icon="lock">
            {t("next.reviewReplay")}
          </Button>
          <Button size="sm">{t("action.readAgain")}</Button>
          <Button size="lg" className="is-focus">
            {t("desk.clearForm")}
          </Button>
          <IconButton name="x" label={t("action.close")} />
          <IconButton name="left" small label={t("desk.previousDay")} />
        </div>
        <p id="why-off" className="text-meta text-3rd">
          {t("design.off")}
        </p>
      </Part>
      <Part name="StateWord">
        <div className="flex flex-wrap gap-2">
          {[...Object.values(deliveryStates), auditResults.STALE_REJECTED, outboxStates.SKIPPED].map((entry) => (
            <StateWord key={entry.label} entry={entry} pill />
          ))}
        </div>
      </Part>
      <Part name="Tile">
        <div className="tiles border border-line">
          <Tile
            entry={deliveryStates.QUARANTINED}
            meaning={t(deliveryStates.QUARANTINED.meaning)}
            count={{ kind: "known", value: 7, window: t("delivery.windowNow", { count: 2 }) }}
            bars={bars}
            pressed
            onToggle={() => {}}
          />
          <Tile
            entry={deliveryStates.PROCESSED}
            meaning={t(deliveryStates.PROCESSED.meaning)}
            count={{ kind: "known", value: 1284, window: t("delivery.window24", { count: 61 }) }}
            bars={bars}
            pressed={false}
            onToggle={() => {}}
          />
          <Tile entry={deliveryStates.RETRYABLE} meaning="" count={{ kind: "loading" }} pressed={false} onToggle={() => {}} />
          <Tile entry={deliveryStates.DUPLICATE} meaning="" count={{ kind: "unknown" }} pressed={false} onToggle={() => {}} />
        </div>
      </Part>
      <Part name="LiveIndicator">
        <div className="grid gap-1">
          <LiveIndicator state="live" lastMs={at} nowMs={at + 2000} zone="Europe/Berlin" />
          <LiveIndicator state="paused" lastMs={at} nowMs={at} zone="Europe/Berlin" />
          <LiveIndicator state="reconnecting" lastMs={at} nowMs={at} zone="Europe/Berlin" />
          <LiveIndicator state="offline" lastMs={at} nowMs={at} zone="Europe/Berlin" />
        </div>
      </Part>
      <Part name="EmptyState, SkeletonRows">
        <div className="box">
          <EmptyState glyph="check" title={t("delivery.emptyTitle")}>
            {t("delivery.emptyWaiting", { count: 34, time: t("time.in.seconds", { count: 42 }) })}
          </EmptyState>
        </div>
        <div className="box">
          <EmptyState glyph="filter" title={t("delivery.noMatchTitle")} action={<Button size="sm">{t("delivery.clear")}</Button>}>
            {t("delivery.noMatch")}
          </EmptyState>
        </div>
        <div className="box">
          <EmptyState glyph="lock" title={t("error.scopeTitle", { clinic: "CL-204" })}>
            {t("error.scope")}
          </EmptyState>
        </div>
        <div className="box">
          <EmptyState glyph="off" title={t("delivery.failedTitle")} action={<Button size="sm">{t("action.readAgain")}</Button>}>
            {t("delivery.failed")}
          </EmptyState>
        </div>
        <div className="box">
          <SkeletonRows rows={3} label={t("delivery.reading")} />
        </div>
      </Part>
      <Part name="Notice, NotRead">
        <Notice glyph="fail" family="hold" title={t("problem.slotTaken")}>
          {t("problem.nothingChanged")}
        </Notice>
        <Notice glyph="wait" family="wait">
          {t("retry.toldToWait")}
        </Notice>
        <Notice glyph="done" family="done">
          {t("desk.done.book")}
        </Notice>
        <Notice glyph="off" family="plan" title={t("retry.title")}>
          {t("person.lost")}
        </Notice>
        <NotRead at={at} zone="Europe/Berlin" onRead={() => {}} />
      </Part>
      <Part name="Field, SelectField, SegmentedControl">
        <div className="form" style={{ padding: 0 }}>
          <Field label={t("desk.patient")} hint={t("desk.patientHint")} glyph="search" defaultValue="lindq marta" />
          <Field label={t("desk.wishedDay")} type="date" defaultValue="2026-08-18" error={t("desk.missing.date")} />
          <Field label={t("desk.patient")} defaultValue="PT-6RM100" locked />
          <div className="pair">
            <SelectField label={t("desk.treatment")} defaultValue="">
              <option value="">{t("desk.choose")}</option>
            </SelectField>
            <SelectField label={t("desk.doctor")} locked defaultValue="any">
              <option value="any">{t("desk.anyDoctor")}</option>
            </SelectField>
          </div>
          <SegmentedControl
            label={t("desk.doctor")}
            name="design-doctor"
            value={choice}
            onChange={setChoice}
            choices={[
              { value: "any", label: t("desk.anyDoctor") },
              { value: "d1", label: "D-01" },
              { value: "d2", label: "D-02", off: true },
            ]}
          />
        </div>
      </Part>
      <Part name="KeyValueList, AttemptsCell, KeyHint">
        <KeyValueList>
          <KeyValue term={t("evidence.scope")}>
            <Ref>TG-014000</Ref>
            <span className="dim">/</span>
            <Ref>CL-203000</Ref>
          </KeyValue>
          <KeyIdentity term={t("evidence.identity")} value="01a22f1e-96e7-71a0-9efc-dfb2348714b7" head={13} />
        </KeyValueList>
        <div className="q flex gap-6">
          <span>
            <AttemptsCell used={2} max={5} />
          </span>
          <span>
            <AttemptsCell used={5} max={5} />
          </span>
          <span>
            <KeyHint keys="J K Enter" />
          </span>
        </div>
      </Part>
      <Part name="Menu, Dialog">
        <div className="flex gap-2">
          <Menu label={t("theme.label")} trigger={<Button>{t("theme.label")}</Button>}>
            <MenuChoices
              label={t("theme.label")}
              value="light"
              onChange={() => {}}
              choices={[
                { value: "light", label: t("theme.light") },
                { value: "dark", label: t("theme.dark") },
              ]}
            />
          </Menu>
          <Button onClick={() => setOpen(true)}>{t("keys.title")}</Button>
          <Dialog open={open} onOpenChange={setOpen} title={t("keys.title")}>
            <p className="mt-2">{t("keys.single")}</p>
          </Dialog>
        </div>
      </Part>
    </div>
  );
}
