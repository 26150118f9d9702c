-- The counts of the tiles are answered by an index alone.
-- Safe beside a running older version: yes. Building the index holds up writers of inbox_deliveries for as long as it takes.
DROP INDEX "inbox_deliveries_outcome";--> statement-breakpoint
CREATE INDEX "inbox_deliveries_outcome" ON "inbox_deliveries" USING btree ("clinic_id","outcome","at","tenant_group_id");