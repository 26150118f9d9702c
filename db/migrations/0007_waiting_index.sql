-- Waiting rows by a plain column, whose comparison may go by the index under row-level security; settled rows are read from inbox_deliveries.
-- Safe beside a running older version: yes (its queue reads settled rows more slowly). Building the index holds up writers of inbox for as long as it takes.
DROP INDEX "inbox_settled";--> statement-breakpoint
DROP INDEX "inbox_waiting";--> statement-breakpoint
CREATE INDEX "inbox_waiting" ON "inbox" USING btree ("clinic_id","next_attempt_at","id") WHERE state = 'RETRYABLE';