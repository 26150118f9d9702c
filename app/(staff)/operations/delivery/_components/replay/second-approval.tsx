"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { useTRPC } from "@/app/_trpc/client";
import { ProblemLine } from "./problem-line";
import { problemOf } from "./use-replay";

/** The second person's approval of a request that waits for one. The server knows who may not be that person. */
export function SecondApproval({ requestId }: { requestId: string }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const queries = useQueryClient();
  const job = useQuery(trpc.replay.job.queryOptions({ job: requestId }));
  const second = useMutation(
    trpc.replay.approveSecond.mutationOptions({ onSettled: () => queries.invalidateQueries(trpc.replay.pathFilter()) }),
  );
  if (job.data?.state !== "AWAITING_SECOND") return null;
  const { clinicRef, manifestDigest } = job.data;
  return (
    <>
      {second.isError && <ProblemLine problem={problemOf(second.error)} />}
      <Button
        look="primary"
        icon="users"
        busy={second.isPending}
        onClick={() => second.mutate({ clinicId: clinicRef, requestId, digest: manifestDigest })}
      >
        {t("replay.approveSecond")}
      </Button>
    </>
  );
}
