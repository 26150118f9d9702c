-- Replay: requests with their manifest and receipt, refusals, and which replay made an attempt.
-- Safe beside a running older version: yes.
CREATE TABLE "replay_items" (
	"request_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"row_version" bigint NOT NULL,
	"row_state" text NOT NULL,
	"partition" integer NOT NULL,
	"offset" bigint NOT NULL,
	"outcome" text,
	"reason_code" text,
	"settled_at" timestamp with time zone,
	"is_open" boolean DEFAULT false NOT NULL,
	CONSTRAINT "replay_items_request_id_position_pk" PRIMARY KEY("request_id","position"),
	CONSTRAINT "replay_items_inbox_key" UNIQUE("request_id","inbox_id"),
	CONSTRAINT "replay_items_outcome" CHECK (outcome in ('PROCESSED', 'DUPLICATE', 'RETRYABLE', 'QUARANTINED', 'SKIPPED', 'NOT_REACHED')),
	CONSTRAINT "replay_items_row_state" CHECK (row_state in ('PROCESSING', 'PROCESSED', 'RETRYABLE', 'QUARANTINED')),
	CONSTRAINT "replay_items_settled" CHECK ((outcome is null) = (settled_at is null) and not (is_open and outcome is not null)),
	CONSTRAINT "replay_items_reason" CHECK (outcome not in ('RETRYABLE', 'QUARANTINED', 'SKIPPED', 'NOT_REACHED') or reason_code is not null)
);
--> statement-breakpoint
CREATE TABLE "replay_refusals" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"ref" text NOT NULL,
	"request_id" uuid,
	"subject" text NOT NULL,
	"subject_version" text NOT NULL,
	"failed" text[] NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_ref" text NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "replay_refusals_ref_key" UNIQUE("tenant_group_id","ref"),
	CONSTRAINT "replay_refusals_once_key" UNIQUE("tenant_group_id","subject","subject_version","failed"),
	CONSTRAINT "replay_refusals_actor_kind" CHECK (actor_kind in ('person', 'token', 'worker', 'command-line'))
);
--> statement-breakpoint
CREATE TABLE "replay_requests" (
	"request_id" uuid PRIMARY KEY NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"ref" text NOT NULL,
	"job_ref" text,
	"requested_by_id" uuid NOT NULL,
	"requested_by_ref" text NOT NULL,
	"consumer" text NOT NULL,
	"log_id" text NOT NULL,
	"topic" text NOT NULL,
	"selection" jsonb NOT NULL,
	"selection_digest" text NOT NULL,
	"ranges" jsonb NOT NULL,
	"records" integer NOT NULL,
	"matching" integer NOT NULL,
	"offsets_spanned" bigint NOT NULL,
	"waiting_behind" integer NOT NULL,
	"oldest_at" timestamp with time zone NOT NULL,
	"manifest_digest" text NOT NULL,
	"digest_key_id" text NOT NULL,
	"needs_second" boolean NOT NULL,
	"previewed_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"preview_expires_at" timestamp with time zone NOT NULL,
	"max_seconds" integer,
	"rate_per_second" integer,
	"canary_size" integer,
	"stop_share_percent" integer,
	"reason" text,
	"approver_id" uuid,
	"approver_ref" text,
	"approved_at" timestamp with time zone,
	"approved_digest" text,
	"second_approver_id" uuid,
	"second_approver_ref" text,
	"second_approved_at" timestamp with time zone,
	"approval_expires_at" timestamp with time zone,
	"approval_used_at" timestamp with time zone,
	"state" text DEFAULT 'PREVIEWED' NOT NULL,
	"wanted" text DEFAULT 'RUN' NOT NULL,
	"wanted_by_ref" text,
	"wanted_at" timestamp with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"lease_owner" text,
	"lease_until" timestamp with time zone,
	"started_at" timestamp with time zone,
	"looked_at" timestamp with time zone,
	"active_ms" integer DEFAULT 0 NOT NULL,
	"ended_at" timestamp with time zone,
	"ended_reason" text,
	"offsets_before" jsonb,
	"offsets_after" jsonb,
	"missing" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"processed" integer,
	"duplicate" integer,
	"retryable" integer,
	"quarantined" integer,
	"skipped" integer,
	"not_reached" integer,
	"version" bigint DEFAULT 1 NOT NULL,
	CONSTRAINT "replay_requests_ref_key" UNIQUE("tenant_group_id","ref"),
	CONSTRAINT "replay_requests_job_ref_key" UNIQUE("tenant_group_id","job_ref"),
	CONSTRAINT "replay_requests_state" CHECK (state in ('PREVIEWED', 'AWAITING_SECOND', 'QUEUED', 'RUNNING', 'PAUSED', 'COMPLETED', 'NEEDS_ACTION', 'INCOMPLETE', 'CANCELLED', 'EXPIRED')),
	CONSTRAINT "replay_requests_wanted" CHECK (wanted in ('RUN', 'PAUSE', 'CANCEL')),
	CONSTRAINT "replay_requests_lease" CHECK ((state = 'RUNNING') = (lease_until is not null) and (state = 'RUNNING') = (lease_owner is not null)),
	CONSTRAINT "replay_requests_records" CHECK (records between 1 and 10000 and matching >= records and offsets_spanned between 1 and 100000),
	CONSTRAINT "replay_requests_bounds" CHECK (max_seconds between 1 and 300 and rate_per_second between 1 and 50 and canary_size between 1 and 50 and stop_share_percent between 0 and 100),
	CONSTRAINT "replay_requests_approved" CHECK ((approver_id is null) = (state = 'PREVIEWED' or (state = 'EXPIRED' and job_ref is null)) and num_nulls(approver_id, approver_ref, approved_at, approved_digest, approval_expires_at, job_ref, reason, max_seconds, rate_per_second, canary_size, stop_share_percent) in (0, 11)),
	CONSTRAINT "replay_requests_digest" CHECK (approved_digest is null or approved_digest = manifest_digest),
	CONSTRAINT "replay_requests_second" CHECK (not needs_second or second_approver_id is null or second_approver_id <> approver_id),
	CONSTRAINT "replay_requests_second_first" CHECK (num_nulls(second_approver_id, second_approver_ref, second_approved_at) in (0, 3) and (state not in ('QUEUED', 'RUNNING') or not needs_second or second_approver_id is not null)),
	CONSTRAINT "replay_requests_ended" CHECK ((ended_at is not null) = (state in ('COMPLETED', 'NEEDS_ACTION', 'INCOMPLETE', 'CANCELLED', 'EXPIRED')) and (state <> 'CANCELLED' or wanted = 'CANCEL')),
	CONSTRAINT "replay_requests_receipt" CHECK (case when ended_at is not null and job_ref is not null then num_nulls(processed, duplicate, retryable, quarantined, skipped, not_reached) = 0 and processed + duplicate + retryable + quarantined + skipped + not_reached = records else num_nonnulls(processed, duplicate, retryable, quarantined, skipped, not_reached) = 0 end),
	CONSTRAINT "replay_requests_completed" CHECK (state <> 'COMPLETED' or (processed + duplicate = records and jsonb_array_length(missing) = 0))
);
--> statement-breakpoint
ALTER TABLE "clinics" ADD COLUMN "replay_records_limit" integer DEFAULT 100 NOT NULL;--> statement-breakpoint
ALTER TABLE "clinics" ADD COLUMN "replay_age_hours_limit" integer DEFAULT 168 NOT NULL;--> statement-breakpoint
ALTER TABLE "inbox" ADD COLUMN "replay_request_id" uuid;--> statement-breakpoint
ALTER TABLE "inbox_deliveries" ADD COLUMN "replay_request_id" uuid;--> statement-breakpoint
ALTER TABLE "replay_items" ADD CONSTRAINT "replay_items_request_id_replay_requests_request_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."replay_requests"("request_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "replay_items_open" ON "replay_items" USING btree ("inbox_id") WHERE is_open;--> statement-breakpoint
CREATE INDEX "replay_items_unsettled" ON "replay_items" USING btree ("request_id","position") WHERE outcome is null;--> statement-breakpoint
CREATE INDEX "replay_items_inbox" ON "replay_items" USING btree ("inbox_id");--> statement-breakpoint
CREATE INDEX "replay_requests_jobs" ON "replay_requests" USING btree ("clinic_id","approved_at") WHERE job_ref is not null;--> statement-breakpoint
CREATE INDEX "replay_requests_open" ON "replay_requests" USING btree ("approved_at") WHERE state in ('AWAITING_SECOND', 'QUEUED', 'RUNNING', 'PAUSED');--> statement-breakpoint
CREATE INDEX "replay_requests_previews" ON "replay_requests" USING btree ("preview_expires_at") WHERE state = 'PREVIEWED';--> statement-breakpoint
ALTER TABLE "clinics" ADD CONSTRAINT "clinics_replay_limits" CHECK (replay_records_limit >= 0 and replay_age_hours_limit >= 0);--> statement-breakpoint
do $$
declare
  t text;
  web_scope text := 'tenant_group_id = (select app_tenant()) and clinic_id = any ((select app_clinics())::uuid[])';
  worker_scope text := '(select app_worker()) is not null and ((select app_tenant()) is null or tenant_group_id = (select app_tenant()))';
begin
  foreach t in array array['replay_requests', 'replay_items', 'replay_refusals'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy migrator_all on %I to aops_migrator using (true) with check (true)', t);
    execute format('create policy web_scope on %I to aops_web using (%s) with check (%s)', t, web_scope, web_scope);
    execute format('create policy worker_scope on %I to aops_worker using (%s) with check (%s)', t, worker_scope, worker_scope);
    execute format('grant select on %I to aops_web, aops_worker', t);
  end loop;
end $$;--> statement-breakpoint
-- web binds and approves; what was bound cannot be changed by it afterwards. It never claims: no lease, no fence.
grant insert on replay_requests, replay_items, replay_refusals to aops_web;--> statement-breakpoint
grant update (job_ref, needs_second, max_seconds, rate_per_second, canary_size, stop_share_percent, reason, approver_id, approver_ref, approved_at,
  approved_digest, second_approver_id, second_approver_ref, second_approved_at, approval_expires_at, state, wanted, wanted_by_ref, wanted_at, ended_at,
  ended_reason, processed, duplicate, retryable, quarantined, skipped, not_reached, version) on replay_requests to aops_web;--> statement-breakpoint
grant update (outcome, reason_code, settled_at, is_open) on replay_items to aops_web;--> statement-breakpoint
grant update on replay_requests to aops_worker;--> statement-breakpoint
grant update (outcome, reason_code, settled_at, is_open), delete on replay_items to aops_worker;--> statement-breakpoint
grant insert on replay_refusals to aops_worker;
