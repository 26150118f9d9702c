"use client";

import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { saveFile } from "@/app/_components/save-file";
import { useTRPC } from "@/app/_trpc/client";

/** The evidence of the command as a file without payload. The export is an entry of the audit. */
export function ExportStory({ commandId, clinic }: { commandId: string; clinic: string | undefined }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const made = useMutation(trpc.stories.export.mutationOptions({ onSuccess: (file) => file && saveFile(file) }));
  return (
    <>
      <Button size="sm" icon="ext" busy={made.isPending} onClick={() => made.mutate({ commandId, clinic })}>
        {t("story.export")}
      </Button>
      <span className="sr" role="status">
        {made.data ? t("story.exported", { count: made.data.records }) : ""}
      </span>
      {made.isError && (
        <span className="s-hold text-meta" role="alert">
          {t("story.exportFailed")}
        </span>
      )}
    </>
  );
}
