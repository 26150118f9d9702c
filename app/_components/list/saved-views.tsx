"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { Button, IconButton } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Field } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import type { KeptFilter } from "@/app/_components/list/same-filter";
import { Menu, MenuItem, MenuRule } from "@/app/_components/menu";
import { useTRPC } from "@/app/_trpc/client";
import type { SavedView, ViewScreen } from "@/server/domain/deliveries/views";

/** One of the views that a queue always has. */
export type FixedView = { id: string; label: string; count?: number | undefined; isChosen: boolean; onChoose(): void };
type Props = {
  screen: ViewScreen;
  clinic: string | undefined;
  /** What the address filters by now. */
  filter: KeptFilter;
  isSame(one: Record<string, unknown>, other: Record<string, unknown>): boolean;
  fixed: FixedView[];
  onOpen(filter: SavedView["filter"]): void;
};

/**
 * The views of a queue as tabs: those it always has, then filters under a name that are kept on the server, a person's own and those that a clinic's STAFF
 * share; and the menu that keeps the present filter or takes one's own view away.
 */
export function ViewTabs({ screen, clinic, filter, isSame, fixed, onOpen }: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const saved = useQuery(trpc.savedViews.list.queryOptions({ clinic, screen }, { staleTime: 60_000 })).data ?? [];
  const current = saved.find((view) => isSame(view.filter, filter));
  return (
    <>
      <div className="views" role="tablist" aria-label={t("delivery.views")}>
        {fixed.map(({ id, label, count, isChosen, onChoose }) => (
          <button key={id} type="button" role="tab" className="view" aria-selected={isChosen && !current} onClick={onChoose}>
            {label}
            {count !== undefined && <span className="n">{t("number", { value: count })}</span>}
          </button>
        ))}
        {saved.map((view) => (
          <button
            key={view.id}
            type="button"
            role="tab"
            className="view"
            aria-selected={view.id === current?.id}
            onClick={() => onOpen(view.filter)}
          >
            {view.shared && <Icon name="users" label={t("views.shared")} />}
            {view.name}
          </button>
        ))}
      </div>
      <SavedViewMenu screen={screen} clinic={clinic} filter={filter} current={current} />
    </>
  );
}

/** Keeps the present filter under a name, or takes one's own view away. */
function SavedViewMenu({ current, ...kept }: Pick<Props, "screen" | "clinic" | "filter"> & { current: SavedView | undefined }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const client = useQueryClient();
  const again = () => client.invalidateQueries(trpc.savedViews.list.queryFilter());
  const remove = useMutation(trpc.savedViews.remove.mutationOptions({ onSuccess: again }));
  const [saving, setSaving] = useState(false);
  return (
    <>
      <Menu label={t("views.menu")} trigger={<IconButton name="plus" label={t("views.menu")} />}>
        <MenuItem onSelect={() => setSaving(true)}>{t("views.save")}</MenuItem>
        {current?.isMine && (
          <>
            <MenuRule />
            <MenuItem onSelect={() => remove.mutate({ clinic: kept.clinic, id: current.id })}>
              {t("views.remove", { name: current.name })}
            </MenuItem>
          </>
        )}
      </Menu>
      {saving && <SaveView {...kept} onClose={() => setSaving(false)} onSaved={again} />}
    </>
  );
}

type SaveProps = Pick<Props, "screen" | "clinic" | "filter"> & { onClose(): void; onSaved(): void };

function SaveView({ screen, clinic, filter, onClose, onSaved }: SaveProps) {
  const t = useTranslations();
  const trpc = useTRPC();
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  const save = useMutation(
    trpc.savedViews.save.mutationOptions({
      onSuccess: () => {
        onSaved();
        onClose();
      },
    }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== "" && !save.isPending) save.mutate({ clinic, view: { screen, name: name.trim(), filter, shared } });
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t("views.save")} description={t("views.what")}>
      <form onSubmit={submit} className="mt-4 grid gap-3">
        <Field
          label={t("views.name")}
          maxLength={40}
          value={name}
          error={save.isError ? t("views.failed") : null}
          onChange={(event) => setName(event.target.value)}
        />
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={shared} disabled={!clinic} onChange={(event) => setShared(event.target.checked)} />
          {clinic ? t("views.share", { clinic }) : t("views.shareOff")}
        </label>
        <Button look="primary" type="submit" busy={save.isPending}>
          {t("views.keep")}
        </Button>
      </form>
    </Dialog>
  );
}
