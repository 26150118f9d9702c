import type { Db } from "@/db/client";
import { mailboxProvider } from "@/server/domain/notifications/mailbox";
import type { NotificationProvider } from "@/server/domain/notifications/provider";
import type { WorkerEnv } from "@/server/env";
import { smtpProvider } from "./smtp";

/** The provider that the configuration names. `db`: the worker's handle; `worker` names the process. */
export function openProvider(
  env: Pick<WorkerEnv, "NOTIFICATION_PROVIDER" | "SMTP_URL" | "SMTP_FROM">,
  db: Db,
  worker: string,
): NotificationProvider {
  switch (env.NOTIFICATION_PROVIDER) {
    case "mailbox":
      return mailboxProvider(db, worker);
    case "smtp":
      if (!env.SMTP_URL) throw new Error("SMTP_URL is needed with NOTIFICATION_PROVIDER=smtp");
      return smtpProvider({ url: env.SMTP_URL, from: env.SMTP_FROM });
  }
}
