"use client";

import { useQueryStates } from "nuqs";
import { useCallback, useState } from "react";
import { focusShown } from "@/app/_components/focus-shown";
import { addDays, laterDate } from "@/app/_components/time";
import { useKeys } from "@/app/_components/use-keys";
import type { DeskVisit } from "@/server/domain/operations/desk-day";
import { calendarToday } from "./calendar-today";
import { DayFailed } from "./day-failed";
import { DeskDrawer } from "./desk-drawer";
import { DeskPane } from "./desk-pane";
import { dateOf, deskParsers } from "./desk-url";
import type { FactsAsk } from "./facts/facts-ask";
import type { DeskCommand } from "./pending-command";
import { choiceOf, useSentForm } from "./sent-form";
import { useBookingForm } from "./use-booking-form";
import { useChosenPlace } from "./use-chosen-place";
import { type Placed, useDeskCommands } from "./use-desk-commands";
import { useDeskDay } from "./use-desk-day";
import { useDayOfVisit, useReopened } from "./use-desk-links";
import { useOpenedVisit } from "./use-opened-visit";

/** The day or week of one clinic, with at most one drawer beside it: a booking, a move, or a visit. */
export function DeskScreen({ clinicId, userId }: { clinicId: string; userId: string }) {
  const [url, setUrl] = useQueryStates(deskParsers, { history: "push", scroll: false });
  const { day, readAtMs, isReading, isCurrent, live, readAgain } = useDeskDay(clinicId, dateOf(url.date));
  const earliest = day ? laterDate(day.date, calendarToday(day)) : "";
  // A move has a form of its own: what is typed for a new visit stays, and a move leaves nobody's name behind in it.
  const [newVisit, newTime] = [useBookingForm(earliest), useBookingForm(earliest)];
  const booking = url.move ? newTime : newVisit;
  const { form } = booking;
  const opened = useOpenedVisit(clinicId, day, url.move ?? url.visit);
  const { visit, latest } = opened;
  const [placed, setPlaced] = useState<Placed | null>(null);
  const [facts, setFacts] = useState<(FactsAsk & { nth: number }) | null>(null);

  const onDone = ({ operation }: DeskCommand, answer: Placed) => {
    opened.seen.accept(answer.version);
    if (operation === "book" || operation === "reschedule") {
      booking.clear();
      setPlaced(answer);
      setUrl({ book: false, move: null, visit: answer.id, date: answer.localDate, view: "day" });
    }
  };
  const commands = useDeskCommands({
    userId,
    clinicId,
    retentionHours: day?.keyRetentionHours ?? 24,
    onDone,
    onRefused: () => booking.change({ startsAt: "" }),
  });
  const pending = commands.pending?.command;
  useReopened(pending, setUrl);

  // A link leads to a day that does not have it; so does this desk's own booking after midnight, which belongs to the night before.
  const isOwn = placed !== null && placed.id === url.visit && placed.version === latest?.version;
  const isLost = url.visit !== null && !isReading && (visit === undefined || (isOwn && !opened.isListed));
  useDayOfVisit({ visit: isLost ? url.visit : null, day, latest }, (date) => setUrl({ date }, { history: "replace" }));

  const moving = url.move ? visit : undefined;
  const factsColumn = day?.columns.find((column) => column.id === facts?.columnId);
  const asked = facts && factsColumn ? { ask: facts, column: factsColumn } : null;
  const drawer = asked ? "facts" : url.book || (url.move && (moving || pending)) ? "booking" : url.visit && visit ? "visit" : null;
  const sent = useSentForm(pending, form, day, clinicId);
  const equipmentIds = useChosenPlace(day, sent ?? form, url.move);

  const { forget } = commands;
  const show = useCallback(
    (next: Partial<typeof url>) => {
      forget();
      setFacts(null);
      setUrl({ visit: null, book: false, move: null, ...next });
    },
    [setUrl, forget],
  );
  const close = () => {
    const id = url.visit ?? url.move;
    const from = facts ? `[data-facts~="${CSS.escape(facts.columnId)}"]` : id ? `[data-visit="${CSS.escape(id)}"]` : "[data-new]";
    show({});
    setTimeout(() => focusShown(from)); // once the drawer is gone
  };
  const openVisit = useCallback((id: string) => show({ visit: id }), [show]);
  const askFacts = (ask: FactsAsk) => {
    show({});
    setFacts({ ...ask, nth: (facts?.nth ?? 0) + 1 }); // the same drawer asked for again begins anew
  };
  // A visit that is open belongs to its day; what is being booked or moved stays while other days are looked at.
  const goTo = (date: string | null) => (drawer === "booking" ? setUrl({ date }) : show({ date }));
  const go = (steps: number) => day && goTo(addDays(day.date, url.view === "week" ? steps * 7 : steps));
  const book = () => {
    const from = day && calendarToday(day);
    if (!newVisit.form.date || (from && newVisit.form.date < from)) newVisit.change({ date: earliest });
    show({ book: true });
  };
  const move = ({ id, patient, treatmentId, doctorId }: DeskVisit) => {
    if (!day) return;
    const { ref, name } = patient;
    newTime.change({ patient: { id: patient.id, ref, name }, treatmentId, doctorId, date: earliest, time: "" });
    show({ move: id });
  };
  useKeys({
    n: (event) => {
      event.preventDefault();
      book();
    },
    t: () => goTo(null),
    arrowleft: () => go(-1),
    arrowright: () => go(1),
    escape: () => drawer && close(),
  });

  if (!day) return <DayFailed onRead={readAgain} />;
  return (
    <main className={drawer ? "main" : "main full"} id="content" data-open={drawer ? "" : undefined}>
      <DeskPane
        clinicId={clinicId}
        day={day}
        readAtMs={readAtMs}
        live={live}
        url={url}
        choice={choiceOf({ form: sent ?? form, day, sent: pending !== undefined, movingRef: moving?.ref, equipmentIds })}
        booking={drawer === "booking"}
        said={commands.done.text}
        onFilter={setUrl}
        onDate={goTo}
        onDay={(date, id) => show({ view: "day", date, visit: id })}
        onOpen={openVisit}
        onBook={book}
        onFacts={askFacts}
      />
      {drawer && (
        <DeskDrawer
          kind={drawer}
          day={day}
          isCurrent={isCurrent}
          facts={asked}
          opened={opened}
          movingId={url.move}
          booking={booking}
          sent={sent}
          equipmentIds={equipmentIds}
          commands={commands}
          onReadAgain={readAgain}
          onDate={(date) => setUrl({ date })}
          onMove={move}
          onClose={close}
        />
      )}
    </main>
  );
}
