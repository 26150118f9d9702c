-- The planning screen reads what has ended of a clinic, and which of its messages wait or were given up.
-- Safe beside a running older version: yes. Building the indexes holds up writers of both tables for as long as it takes.
CREATE INDEX "notification_intents_unsettled" ON "notification_intents" USING btree ("clinic_id","created_at") WHERE state in ('PENDING', 'SENDING', 'RETRY_WAIT');--> statement-breakpoint
CREATE INDEX "notification_intents_given_up" ON "notification_intents" USING btree ("clinic_id","settled_at") WHERE state in ('EXHAUSTED', 'UNKNOWN');--> statement-breakpoint
CREATE INDEX "planning_runs_settled" ON "planning_runs" USING btree ("clinic_id","ended_at","id") WHERE ended_at is not null;