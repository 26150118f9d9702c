"use client";

import { useRouter, useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { Dialog } from "radix-ui";
import { useEffect, useId, useState } from "react";
import { useFocusBack } from "@/app/_components/dialog-parts";
import { useFoundReferences } from "@/app/_components/frame/use-found-references";
import type { TypedAhead } from "@/app/_components/frame/use-typed-ahead";
import { type Glyph, Icon } from "@/app/_components/icon";
import { KeyHint } from "@/app/_components/key-hint";
import { Ref } from "@/app/_components/ref";

export type Choice = { id: string; group: string; glyph: Glyph; reference?: string; word: string; end?: string; href: string };

type Props = {
  roles: readonly string[];
  clinics: readonly { ref: string }[];
  /** What was typed while this was fetched; asked once the input has the focus. */
  typedAhead(): TypedAhead;
  onClose(): void;
};

/** Finds any reference that the person may see. The input keeps the focus; arrows move the choice, Enter goes there, Esc closes and gives the focus back. */
export function CommandDialog({ roles, clinics, typedAhead, onClose }: Props) {
  const t = useTranslations();
  const router = useRouter();
  const list = useId();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [isAwaited, setIsAwaited] = useState(false); // Enter came before the answer: it is kept, and no older answer is taken for it
  const clinic = useSearchParams().get("clinic") ?? undefined;
  const { choices, isReading, isFailed } = useFoundReferences({ text, roles, clinic, deskClinic: clinic ?? clinics[0]?.ref });
  const chosen = choices[Math.min(at, choices.length - 1)];
  const focusBack = useFocusBack();
  const go = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    router.push(choice.href);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the arrival of the answer decides
  useEffect(() => {
    if (!isAwaited || isReading) return;
    setIsAwaited(false);
    go(choices[0]);
  }, [isAwaited, isReading]);
  const step = (to: number) => {
    if (choices.length === 0) return;
    const next = (to + choices.length) % choices.length;
    setAt(next);
    document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="veil" />
        <Dialog.Content className="dlg cmd" aria-describedby={undefined} onCloseAutoFocus={focusBack}>
          <Dialog.Title className="sr">{t("find.title")}</Dialog.Title>
          <div className="cin">
            <Icon name="search" />
            <input
              role="combobox"
              aria-expanded="true"
              aria-controls={list}
              aria-activedescendant={chosen ? `${list}-${choices.indexOf(chosen)}` : undefined}
              aria-label={t("find.title")}
              aria-autocomplete="list"
              autoComplete="off"
              spellCheck={false}
              maxLength={200}
              placeholder={t(roles.includes("STAFF") ? "find.hintStaff" : "find.hintDesk")}
              value={text}
              onFocus={() => {
                const { text: early, enter } = typedAhead();
                if (early === "") return;
                setText(early);
                setIsAwaited(enter);
              }}
              onChange={(event) => {
                setText(event.target.value);
                setAt(0);
                setIsAwaited(false);
              }}
              onKeyDown={(event) => {
                if (event.nativeEvent.isComposing) return; // Enter ends a Hangul syllable, not the search
                const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: choices.length - 1 };
                const target = to[event.key];
                if (target === undefined && event.key !== "Enter") return;
                event.preventDefault();
                if (target !== undefined) step(target);
                else if (isReading) setIsAwaited(true);
                else go(chosen);
              }}
            />
            <Dialog.Close className="iconbtn sm" aria-label={t("action.close")}>
              <Icon name="x" />
            </Dialog.Close>
          </div>
          <div className="clist" role="listbox" id={list} aria-label={t("find.results")} aria-busy={isReading || undefined}>
            {choices.map((choice, i) => (
              <div key={choice.id} role="presentation">
                {choice.group !== choices[i - 1]?.group && (
                  <div className="lab" aria-hidden="true">
                    {choice.group}
                  </div>
                )}
                {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the combobox, which keeps the focus */}
                <div
                  className="opt"
                  role="option"
                  id={`${list}-${i}`}
                  aria-selected={choice === chosen}
                  tabIndex={-1}
                  onPointerMove={() => setAt(i)}
                  onClick={() => go(choice)}
                >
                  <Icon name={choice.glyph} />
                  {choice.reference && <Ref className="b6">{choice.reference}</Ref>}
                  <span className={choice.reference ? "dim" : undefined}>{choice.word}</span>
                  {choice.end && <span className="end">{choice.end}</span>}
                </div>
              </div>
            ))}
          </div>
          <div role="status" className={choices.length > 0 ? "sr" : "cempty"}>
            {isReading
              ? t("find.reading")
              : isFailed
                ? t("find.failed")
                : choices.length === 0
                  ? t("find.none")
                  : t("find.count", { count: choices.length })}
          </div>
          <div className="cfoot" aria-hidden="true">
            <span>
              <KeyHint keys="↑ ↓" /> {t("find.move")}
            </span>
            <span>
              <KeyHint keys="Enter" /> {t("find.go")}
            </span>
            <span>
              <KeyHint keys="Esc" /> {t("action.close")}
            </span>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
