"use client";

import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { Icon } from "@/app/_components/icon";
import { Menu, MenuItem } from "@/app/_components/menu";
import { saveFile } from "@/app/_components/save-file";
import { useTRPC } from "@/app/_trpc/client";
import type { AuditExportFormat } from "@/server/domain/operations/audit-types";
import type { auditInput } from "./audit-url";

type Props = { input: ReturnType<typeof auditInput>; counted: { count: number; isMore: boolean } | undefined; onDone(): void };

/** All entries that the filter finds, as a file. The export is an entry itself, so the list is read again. */
export function ExportAudit({ input, counted, onDone }: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const made = useMutation(
    trpc.audit.export.mutationOptions({
      onSuccess: (file) => {
        saveFile(file);
        onDone();
      },
    }),
  );
  const run = (format: AuditExportFormat) => made.mutate({ ...input, format });
  const off = counted?.isMore === true;
  const label = counted === undefined || off ? t("audit.export.title") : t("audit.export.count", { count: counted.count });
  if (off)
    return (
      <>
        <button type="button" className="btn" aria-disabled="true" aria-describedby="export-off">
          <Icon name="ext" />
          {label}
        </button>
        <span id="export-off" className="dim text-meta">
          {t("audit.export.tooMany", { max: counted.count })}
        </span>
      </>
    );
  return (
    <>
      <Menu
        label={t("audit.export.title")}
        align="end"
        trigger={
          <button type="button" className="btn" aria-busy={made.isPending || undefined}>
            <Icon name={made.isPending ? "run" : "ext"} />
            {label}
          </button>
        }
      >
        <MenuItem onSelect={() => run("csv")}>{t("audit.export.csv")}</MenuItem>
        <MenuItem onSelect={() => run("json")}>{t("audit.export.json")}</MenuItem>
      </Menu>
      <span className="sr" role="status">
        {made.data ? t("audit.export.done", { count: made.data.entries }) : ""}
      </span>
      {made.isError && (
        <span className="s-hold text-meta" role="alert">
          {t("audit.export.failed")}
        </span>
      )}
    </>
  );
}
