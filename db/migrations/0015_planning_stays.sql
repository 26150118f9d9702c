-- Visits that are affected and that a plan leaves where they are: counted, and named among its moves.
-- Safe beside a running older version: yes.
ALTER TABLE "planning_run_moves" DROP CONSTRAINT "planning_run_moves_kind";--> statement-breakpoint
ALTER TABLE "planning_run_moves" DROP CONSTRAINT "planning_run_moves_status";--> statement-breakpoint
ALTER TABLE "planning_runs" ADD COLUMN "stays" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "planning_run_moves" ADD CONSTRAINT "planning_run_moves_kind" CHECK (kind in ('MOVE', 'UNPLACED', 'STAYS'));--> statement-breakpoint
ALTER TABLE "planning_run_moves" ADD CONSTRAINT "planning_run_moves_status" CHECK (status in ('REQUESTED', 'CONFIRMED', 'PENDING_RESCHEDULE', 'CHECKED_IN', 'IN_PROGRESS') and (kind = 'STAYS' or status not in ('CHECKED_IN', 'IN_PROGRESS')));