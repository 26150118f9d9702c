"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useEffect, useRef, useState } from "react";
import { Button, IconButton } from "@/app/_components/button";
import { Notice, SkeletonRows } from "@/app/_components/notice";
import type { MessageKey } from "@/app/_i18n/messages";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import type { AffectedView } from "@/server/domain/clinics/fact-types";
import type { ListedFact } from "@/server/domain/clinics/list-facts";
import type { DeskColumn, DeskDay } from "@/server/domain/operations/desk-day";
import type { Hold } from "../hold";
import { AffectedList } from "./affected-list";
import { FactEditor } from "./fact-editor";
import { newFact, typedOf } from "./fact-form";
import { FactList } from "./fact-list";
import { FactProblemNotice } from "./fact-problem";
import { addWords } from "./fact-words";
import type { FactsAsk } from "./facts-ask";
import { FindNewTimes } from "./find-new-times";
import { HoursEditor } from "./hours-editor";
import { problemOf } from "./read-problem";
import { useFactCommand } from "./use-fact-command";

type Form = FactsAsk["form"];
const titles: Record<Exclude<Form, null>, MessageKey> = { ...addWords, hours: "facts.add.hours", clinicHours: "facts.add.clinicHours" };

type Props = {
  day: DeskDay;
  column: DeskColumn /** What is open at first; another wish is another drawer. */;
  start: Form;
  hold: Hold | null;
  onClose(): void;
};

/** What stands in the way of visits in one column: a list, and a form to add, change or end. Visits are listed before anything is saved, and none is moved. */
export default function FactsDrawer({ day, column, start, hold, onClose }: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const heading = useRef<HTMLHeadingElement>(null);
  const clinicId = day.clinic.id;
  const [asked, setForm] = useState<Form>(start);
  const [changes, setChanges] = useState<ListedFact | null>(null);
  const [saved, setSaved] = useState<AffectedView | null>(null);
  /** The list is from before a save: what is decided by its versions would be refused as somebody else's change. */
  const [isOld, setIsOld] = useState(false);
  useEffect(() => heading.current?.focus(), []);
  const whose = column.kind === "DOCTOR" ? { doctorId: column.id } : { equipmentId: column.id };
  const list = useQuery(trpc.facts.list.queryOptions({ clinicId, fromDate: day.date, ...whose }, { staleTime: 0 }));
  const readAgain = () =>
    Promise.all([queryClient.invalidateQueries(trpc.facts.pathFilter()), queryClient.invalidateQueries(trpc.desk.pathFilter())]);
  const close = () => {
    setChanges(null);
    setForm(null);
    heading.current?.focus();
  };
  const onSaved = (affected: AffectedView) => {
    setSaved(affected);
    close();
    setIsOld(true);
    void readAgain().finally(() => setIsOld(false));
  };
  const { busy, problem, send } = useFactCommand(() => onSaved({ count: 0, visits: [], days: [] }));
  const end = (fact: ListedFact) => {
    const command = { factId: fact.id, version: fact.version, kind: fact.kind };
    void send(command, (key) => client.facts.end.mutate({ clinicId, key, ...command }));
  };
  const form = changes ? changes.kind : asked;
  const title = changes ? t("facts.change") : form === null ? t("facts.of", { name: column.name }) : t(titles[form]);
  return (
    <aside className="ev" aria-labelledby="facts-heading">
      <div className="evh">
        <IconButton name="left" small className="back" label={t("desk.backToCalendar")} onClick={onClose} />
        <h2 id="facts-heading" ref={heading} tabIndex={-1} className="b6 trunc text-lead">
          {title}
        </h2>
        <span className="sp" />
        <span className="dim trunc text-meta">{form === null ? t("evidence.zone", { zone: day.clinic.zone }) : column.name}</span>
        <IconButton name="x" small label={t("action.close")} onClick={onClose} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard */}
      <section className="evb" tabIndex={0} aria-label={title}>
        {hold?.notice}
        {saved && (
          <section className="sec grid gap-3">
            <Notice glyph="done" family="done">
              <span role="status">{t("facts.saved")}</span>
            </Notice>
            {saved.count > 0 && <AffectedList affected={saved} day={day} />}
          </section>
        )}
        {saved && saved.count > 0 && <FindNewTimes day={day} affected={saved} />}
        {(form === "hours" || form === "clinicHours") && (
          <HoursEditor
            day={day}
            doctorId={form === "hours" ? column.id : null}
            mayChange={list.data?.mayChangeHours ?? false}
            offBecause={hold?.id}
            onSaved={onSaved}
            onCancel={close}
          />
        )}
        {form !== null && form !== "hours" && form !== "clinicHours" && (
          <FactEditor
            key={`${form}.${changes?.id ?? ""}.${changes?.version ?? ""}`}
            day={day}
            column={column}
            start={changes ? typedOf(changes) : newFact(form, day.date)}
            changes={changes}
            offBecause={hold?.id}
            onSaved={onSaved}
            onCancel={close}
          />
        )}
        {form === null && (
          <>
            {problem && <FactProblemNotice problem={problem} />}
            {list.isError && <FactProblemNotice problem={problemOf(list.error)} />}
            {isOld && <SkeletonRows rows={2} label={t("facts.reading")} />}
            {list.data && !isOld && (
              <FactList
                facts={list.data.facts}
                zone={list.data.zone}
                busy={busy}
                offBecause={hold?.id}
                onChange={(fact) => {
                  setSaved(null);
                  setChanges(fact);
                }}
                onEnd={end}
              />
            )}
            <AddButtons
              column={column}
              onAdd={(form) => {
                setSaved(null);
                setForm(form);
              }}
            />
          </>
        )}
      </section>
    </aside>
  );
}

/** What a column's menu offers: where no columns are drawn, the list is the only way to these forms. */
function AddButtons({ column, onAdd }: { column: DeskColumn; onAdd(form: Exclude<Form, null>): void }) {
  const t = useTranslations();
  const isDoctor = column.kind === "DOCTOR";
  const kinds = isDoctor ? (["absence", "break", "closure"] as const) : (["outage", "closure"] as const);
  const weeks = isDoctor ? (["hours", "clinicHours"] as const) : (["clinicHours"] as const);
  return (
    <section className="sec flex flex-wrap gap-2" aria-label={t("facts.addSomething")}>
      {kinds.map((kind) => (
        <Button key={kind} size="sm" icon="plus" onClick={() => onAdd(kind)}>
          {t(addWords[kind])}
        </Button>
      ))}
      {weeks.map((week) => (
        <Button key={week} size="sm" icon="clock" onClick={() => onAdd(week)}>
          {t(titles[week])}
        </Button>
      ))}
    </section>
  );
}
