import { type Db, withTx } from "@/db/client";
import { type NotificationProvider, retry, sent } from "./provider";

/**
 * The demo's provider: a message becomes a row. Idempotent by intent id. Reaches every patient: without a mail address or phone number under the PT- reference.
 * STAFF see that a message arrived and when; the text stays closed to the web role by column grants.
 */
export const mailboxProvider = (db: Db, worker: string): NotificationProvider => ({
  name: "mailbox",
  idempotentByKey: true,
  addressOf: ({ email, phone, ref }) => email ?? phone ?? ref,
  async send({ intentId, tenantGroupId, clinicId, address, subject, body }) {
    try {
      await withTx(
        db,
        { worker, tenantGroupId },
        (tx) => tx.sql`
          insert into mailbox_messages (intent_id, tenant_group_id, clinic_id, address, subject, body)
          values (${intentId}, ${tenantGroupId}, ${clinicId}, ${address}, ${subject}, ${body})
          on conflict (intent_id) do nothing`,
      );
      return sent(`mailbox/${intentId}`);
    } catch {
      return retry("MAILBOX_UNAVAILABLE", true);
    }
  },
});
