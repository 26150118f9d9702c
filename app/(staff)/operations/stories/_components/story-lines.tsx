"use client";

import Link from "next/link";
import { useLocale, useTranslations } from "next-intl";
import { Identity, Ref } from "@/app/_components/ref";
import { StateWord } from "@/app/_components/state";
import { auditResults, deliveryStates, type StateEntry } from "@/app/_components/state-dictionary";
import { formatOffset, Time, zonedParts } from "@/app/_components/time";
import type { StoryLine } from "@/server/domain/operations/list-stories";
import { isOfFacts, operationWords } from "./story-dictionary";

type Props = {
  lines: StoryLine[];
  hrefOf(commandId: string): string;
  focusId: string | null;
  onFocus(commandId: string): void;
  onOpen(commandId: string): void;
};

const stateOf = (line: StoryLine): StateEntry => {
  if (line.stopped > 0) return deliveryStates.QUARANTINED;
  if (line.open > 0) return deliveryStates.PROCESSING;
  return (line.status ?? 200) >= 400 ? auditResults.REFUSED : deliveryStates.PROCESSED;
};

/** A table from 768 px, cards below: the same three counts as the headline of each page. */
export function StoryLines({ lines, hrefOf, focusId, onFocus, onOpen }: Props) {
  const t = useTranslations();
  const inTabOrder = focusId ?? lines[0]?.commandId;
  return (
    <>
      <table className="q stories">
        <caption className="sr">{t("nav.stories")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("delivery.col.target")}</th>
            <th scope="col">{t("story.command")}</th>
            <th scope="col">{t("delivery.col.state")}</th>
            <th scope="col">{t("story.col.effect")}</th>
            <th scope="col">{t("story.col.at")}</th>
            <th scope="col">{t("delivery.col.nextAction")}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr
              key={line.commandId}
              data-row={line.commandId}
              tabIndex={line.commandId === inTabOrder ? 0 : -1}
              onFocus={() => onFocus(line.commandId)}
              onClick={() => onOpen(line.commandId)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && event.target === event.currentTarget) onOpen(line.commandId);
              }}
            >
              <td>
                <span className="l1 b6">{line.appointmentRef ? <Ref>{line.appointmentRef}</Ref> : t(noVisitOf(line))}</span>
                <span className="l2">
                  <Ref>{line.clinicRef}</Ref>
                </span>
              </td>
              <td>
                <span className="l1">
                  <Operation line={line} />
                </span>
                <span className="l2">
                  <Identity value={line.commandId} head={13} />
                </span>
              </td>
              <td>
                <StateWord entry={stateOf(line)} />
              </td>
              <td>
                <span className="why">
                  <Counts line={line} />
                </span>
              </td>
              <td className="num">
                <At line={line} />
              </td>
              <td className="ac">
                <Link
                  className="btn sm quiet lk"
                  prefetch={false}
                  tabIndex={line.commandId === inTabOrder ? 0 : -1}
                  href={hrefOf(line.commandId)}
                  aria-label={t("story.openOf", { ref: line.appointmentRef ?? line.commandId })}
                  onClick={(event) => event.stopPropagation()}
                >
                  {t("story.open")}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="cards">
        {lines.map((line) => (
          <article key={line.commandId} className="cd">
            <div className="r1">
              {line.appointmentRef ? <Ref>{line.appointmentRef}</Ref> : <span>{t(noVisitOf(line))}</span>}
              <StateWord entry={stateOf(line)} />
            </div>
            <p className="why2">
              <Counts line={line} />
            </p>
            <div className="r3">
              <div className="m">
                <Operation line={line} />, <Ref>{line.clinicRef}</Ref>
                <br />
                <At line={line} />
              </div>
              <Link
                className="btn"
                prefetch={false}
                href={hrefOf(line.commandId)}
                aria-label={t("story.openOf", { ref: line.appointmentRef ?? line.commandId })}
              >
                {t("story.open")}
              </Link>
            </div>
          </article>
        ))}
      </div>
    </>
  );
}

const noVisitOf = (line: StoryLine) => (isOfFacts(line.operation) ? "delivery.noAppointment" : "story.noVisit");

/** Arrived, changed, sent; a command on facts changes no visit and yet changes something. */
function Counts({ line }: { line: StoryLine }) {
  const t = useTranslations();
  if (isOfFacts(line.operation) && (line.status ?? 200) < 400) return <>{t("story.effectFact", { calls: line.calls })}</>;
  return <>{t("story.effect", { calls: line.calls, changes: line.changes, sent: line.sent })}</>;
}

function Operation({ line }: { line: StoryLine }) {
  const t = useTranslations();
  const word = line.operation ? operationWords[line.operation] : undefined;
  return <>{word ? t(word) : (line.operation ?? t("source.IMPORT"))}</>;
}

function At({ line }: { line: StoryLine }) {
  const locale = useLocale();
  return (
    <span className="whitespace-nowrap">
      <Time at={line.at} zone={line.clinicZone} as="daySeconds" locale={locale} />{" "}
      <span className="dim">{formatOffset(zonedParts(line.at, line.clinicZone).offsetMinutes)}</span>
    </span>
  );
}
