-- A planned move knows the state of its visit by one of three words.
-- Safe beside a running older version: yes.
ALTER TABLE "planning_run_moves" ADD CONSTRAINT "planning_run_moves_status" CHECK (status in ('REQUESTED', 'CONFIRMED', 'PENDING_RESCHEDULE'));
