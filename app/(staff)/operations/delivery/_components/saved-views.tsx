"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { Button, IconButton } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { Field } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import { Menu, MenuItem, MenuRule } from "@/app/_components/menu";
import { useTRPC } from "@/app/_trpc/client";
import type { SavedView } from "@/server/domain/deliveries/views";
import { type DeliveryUrl, filterOfUrl, sameFilter, urlOfFilter } from "./delivery-url";

type Props = { clinic: string | undefined; url: DeliveryUrl; onChange(next: Partial<DeliveryUrl>): void };

/** Filters under a name, kept on the server: a person's own, and those that a clinic's STAFF share; and which of them the screen shows now. */
export function useSavedViews(clinic: string | undefined, url: DeliveryUrl) {
  const trpc = useTRPC();
  const views = useQuery(trpc.delivery.views.list.queryOptions({ clinic }, { staleTime: 60_000 })).data ?? [];
  const filter = filterOfUrl(url);
  return { views, current: views.find((view) => sameFilter(view.filter, filter)) };
}

/** They are tabs beside the fixed ones. */
export function SavedViewTabs({
  views,
  current,
  onChange,
}: { views: SavedView[]; current: SavedView | undefined } & Pick<Props, "onChange">) {
  const t = useTranslations();
  return views.map((view) => (
    <button
      key={view.id}
      type="button"
      role="tab"
      className="view"
      aria-selected={view.id === current?.id}
      onClick={() => onChange(urlOfFilter(view.filter))}
    >
      {view.shared && <Icon name="users" label={t("views.shared")} />}
      {view.name}
    </button>
  ));
}

/** Keeps the present filter under a name, or takes one's own view away. */
export function SavedViewMenu({ clinic, url, current }: Omit<Props, "onChange"> & { current: SavedView | undefined }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const client = useQueryClient();
  const again = () => client.invalidateQueries(trpc.delivery.views.list.queryFilter());
  const remove = useMutation(trpc.delivery.views.remove.mutationOptions({ onSuccess: again }));
  const [saving, setSaving] = useState(false);
  return (
    <>
      <Menu label={t("views.menu")} trigger={<IconButton name="plus" label={t("views.menu")} />}>
        <MenuItem onSelect={() => setSaving(true)}>{t("views.save")}</MenuItem>
        {current?.isMine && (
          <>
            <MenuRule />
            <MenuItem onSelect={() => remove.mutate({ clinic, id: current.id })}>{t("views.remove", { name: current.name })}</MenuItem>
          </>
        )}
      </Menu>
      {saving && <SaveView clinic={clinic} filter={filterOfUrl(url)} onClose={() => setSaving(false)} onSaved={again} />}
    </>
  );
}

type SaveProps = { clinic: string | undefined; filter: SavedView["filter"]; onClose(): void; onSaved(): void };

function SaveView({ clinic, filter, onClose, onSaved }: SaveProps) {
  const t = useTranslations();
  const trpc = useTRPC();
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  const save = useMutation(
    trpc.delivery.views.save.mutationOptions({
      onSuccess: () => {
        onSaved();
        onClose();
      },
    }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== "" && !save.isPending) save.mutate({ clinic, view: { name: name.trim(), filter: filter as never, shared } });
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
