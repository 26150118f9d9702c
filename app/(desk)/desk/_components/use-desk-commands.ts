"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useCallback, useState } from "react";
import type { MessageKey } from "@/app/_i18n/messages";
import { useTRPC } from "@/app/_trpc/client";
import { reasonCodes } from "@/server/domain/appointments/states";
import type { DeskCommand } from "./pending-command";
import { type Answer, type Refusal, useKeyedCommand } from "./use-keyed-command";

/** A visit as an answer names it: where a booking or a move has put it. */
export type Placed = { id: string; version: string; localDate: string };
/** What the last command of this desk did; a change of state can be taken back at once. */
type Done = { text: string; canUndo: boolean };
const nothingDone: Done = { text: "", canUndo: false };
const doneWords: Record<DeskCommand["operation"], MessageKey> = {
  book: "desk.done.book",
  reschedule: "desk.done.reschedule",
  cancel: "desk.done.cancel",
  changeStatus: "desk.done.changeStatus",
};

const isUndo = (command: DeskCommand): boolean =>
  command.operation === "changeStatus" &&
  command.change.to !== "PENDING_RESCHEDULE" &&
  (reasonCodes.undo as readonly string[]).includes(command.change.reasonCode ?? "");

type Options = {
  userId: string;
  clinicId: string;
  retentionHours: number;
  /** It is done; with where the visit stands now, after a booking or a move. */
  onDone(command: DeskCommand, visit: Placed): void;
  /** It was refused, and that answer is stored: the next send is another command. */
  onRefused(): void;
};

export type DeskCommands = ReturnType<typeof useDeskCommands>;

/** The commands of one desk and what came of the last one: a refusal with its facts, or a sentence that says what was done. */
export function useDeskCommands({ userId, clinicId, retentionHours, onDone, onRefused }: Options) {
  const t = useTranslations();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [refusal, setRefusal] = useState<(Record<string, unknown> & { code?: string }) | null>(null);
  const [done, setDone] = useState<Done>(nothingDone);
  const [answered, setAnswered] = useState(0);
  const readAgain = () => queryClient.invalidateQueries(trpc.desk.pathFilter());
  const onAnswer = ({ status, body, replayed }: Answer, command: DeskCommand) => {
    readAgain();
    if (status >= 400) {
      setRefusal(body);
      onRefused();
      return;
    }
    setRefusal(null);
    setAnswered((n) => n + 1);
    setDone({
      text: t(replayed ? "desk.alreadyDone" : isUndo(command) ? "desk.done.undo" : doneWords[command.operation]),
      canUndo: command.operation === "changeStatus" && command.change.reasonCode === undefined,
    });
    onDone(command, { id: String(body.id), version: String(body.version ?? "0"), localDate: String(body.localDate) });
  };
  const onRefusal = (problem: Refusal) => {
    readAgain();
    setRefusal(problem);
  };
  const keyed = useKeyedCommand({ userId, clinicId, retentionHours, onAnswer, onRefusal });
  const forget = useCallback(() => {
    setRefusal(null);
    setDone(nothingDone);
  }, []);
  return {
    ...keyed,
    refusal,
    done,
    /** Counts the answered commands: each begins with empty forms. */
    answered,
    forget,
    forgetRefusal: () => setRefusal(null),
    send: (command: DeskCommand) => {
      forget();
      keyed.send(command);
    },
  };
}
