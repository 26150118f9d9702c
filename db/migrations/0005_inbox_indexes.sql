-- Indexes of inbox that are written once, at the end of a row, or not at all: consumers had twelve index entries to write for an event.
-- Safe beside a running older version: yes (its story is found by consumer and event, more slowly). Building the two holds up writers of inbox for as long as it takes.
DROP INDEX "inbox_queue";--> statement-breakpoint
DROP INDEX "inbox_command";--> statement-breakpoint
DROP INDEX "inbox_aggregate";--> statement-breakpoint
CREATE INDEX "inbox_settled" ON "inbox" USING btree ("clinic_id","processed_at","id") WHERE state = 'PROCESSED';--> statement-breakpoint
CREATE INDEX "inbox_stopped" ON "inbox" USING btree ("clinic_id","quarantined_at","id") WHERE state = 'QUARANTINED';