-- An item of a replay knows the version of a row that a stopping runner gave back as it was.
-- Safe beside a running older version: yes.
ALTER TABLE "replay_items" ADD COLUMN "returned_version" bigint;
--> statement-breakpoint
grant update (returned_version) on replay_items to aops_worker;
