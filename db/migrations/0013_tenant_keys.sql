-- What refers to a message or to a replay request names its tenant group and clinic in the same key: until now the id alone would have let a row of one
-- clinic point at another's. A row that does so already ends this migration.
-- Safe beside a running older version: yes. Building the two keys and checking the three references holds up writers of these tables for as long as it takes.
ALTER TABLE "notification_intents" ADD CONSTRAINT "notification_intents_tenant_key" UNIQUE("tenant_group_id","clinic_id","id");--> statement-breakpoint
ALTER TABLE "replay_requests" ADD CONSTRAINT "replay_requests_tenant_key" UNIQUE("tenant_group_id","clinic_id","request_id");--> statement-breakpoint
ALTER TABLE "mailbox_messages" DROP CONSTRAINT "mailbox_messages_intent_id_notification_intents_id_fk";--> statement-breakpoint
ALTER TABLE "notification_deliveries" DROP CONSTRAINT "notification_deliveries_intent_id_notification_intents_id_fk";--> statement-breakpoint
ALTER TABLE "replay_items" DROP CONSTRAINT "replay_items_request_id_replay_requests_request_id_fk";--> statement-breakpoint
ALTER TABLE "mailbox_messages" ADD CONSTRAINT "mailbox_messages_intent_fk" FOREIGN KEY ("tenant_group_id","clinic_id","intent_id") REFERENCES "public"."notification_intents"("tenant_group_id","clinic_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_intent_fk" FOREIGN KEY ("tenant_group_id","clinic_id","intent_id") REFERENCES "public"."notification_intents"("tenant_group_id","clinic_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replay_items" ADD CONSTRAINT "replay_items_request_fk" FOREIGN KEY ("tenant_group_id","clinic_id","request_id") REFERENCES "public"."replay_requests"("tenant_group_id","clinic_id","request_id") ON DELETE no action ON UPDATE no action;
