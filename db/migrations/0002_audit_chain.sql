-- Places of audit entries in a chain, checks of it, and indexes for the audit page.
-- Safe beside a running older version: yes. Building the indexes holds up writers of audit_entries for as long as it takes.
CREATE TABLE "audit_seals" (
	"tenant_group_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"entry_id" uuid NOT NULL,
	"entry_digest" text NOT NULL,
	"prev_hash" text NOT NULL,
	"hash" text NOT NULL,
	"version" integer NOT NULL,
	"key_id" text NOT NULL,
	"sealed_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "audit_seals_tenant_group_id_seq_pk" PRIMARY KEY("tenant_group_id","seq"),
	CONSTRAINT "audit_seals_prev_key" UNIQUE("tenant_group_id","prev_hash"),
	CONSTRAINT "audit_seals_entry_key" UNIQUE("tenant_group_id","entry_id"),
	CONSTRAINT "audit_seals_seq" CHECK (seq > 0)
);
--> statement-breakpoint
CREATE TABLE "audit_verifications" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"requested_by" text NOT NULL,
	"requested_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"state" text DEFAULT 'REQUESTED' NOT NULL,
	"finished_at" timestamp with time zone,
	"through_seq" bigint,
	"checkpoints" integer,
	"fault" text,
	"fault_seq" bigint,
	CONSTRAINT "audit_verifications_state" CHECK (state in ('REQUESTED', 'DONE')),
	CONSTRAINT "audit_verifications_done" CHECK ((state = 'DONE') = (finished_at is not null and through_seq is not null and checkpoints is not null)),
	CONSTRAINT "audit_verifications_fault" CHECK (fault in ('ENTRY_MISSING', 'ENTRY_CHANGED', 'SEAL_MISSING', 'SEAL_CHANGED', 'LINK_BROKEN', 'TAIL_CUT', 'CHECKPOINT_DIFFERS', 'CHECKPOINT_FORGED', 'KEY_MISSING')),
	CONSTRAINT "audit_verifications_fault_seq" CHECK ((fault is null) = (fault_seq is null))
);
--> statement-breakpoint
DROP INDEX "audit_entries_clinic";--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "once_key" text;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "sealed_seq" bigint;--> statement-breakpoint
ALTER TABLE "audit_seals" ADD CONSTRAINT "audit_seals_tenant_group_id_tenant_groups_id_fk" FOREIGN KEY ("tenant_group_id") REFERENCES "public"."tenant_groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_verifications" ADD CONSTRAINT "audit_verifications_tenant_group_id_tenant_groups_id_fk" FOREIGN KEY ("tenant_group_id") REFERENCES "public"."tenant_groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_seals_sealed" ON "audit_seals" USING btree ("tenant_group_id","sealed_at");--> statement-breakpoint
CREATE INDEX "audit_verifications_newest" ON "audit_verifications" USING btree ("tenant_group_id","requested_at");--> statement-breakpoint
CREATE UNIQUE INDEX "audit_verifications_open" ON "audit_verifications" USING btree ("tenant_group_id") WHERE state = 'REQUESTED';--> statement-breakpoint
CREATE INDEX "audit_entries_actor" ON "audit_entries" USING btree ("tenant_group_id","actor_ref","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_act" ON "audit_entries" USING btree ("tenant_group_id","act","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_not_done" ON "audit_entries" USING btree ("tenant_group_id","result","at","id") WHERE result <> 'DONE';--> statement-breakpoint
CREATE INDEX "audit_entries_unsealed" ON "audit_entries" USING btree ("tenant_group_id","at","id") WHERE sealed_seq is null;--> statement-breakpoint
CREATE UNIQUE INDEX "audit_entries_once" ON "audit_entries" USING btree ("tenant_group_id","actor_id","once_key") WHERE once_key is not null;--> statement-breakpoint
CREATE INDEX "audit_entries_clinic" ON "audit_entries" USING btree ("tenant_group_id","clinic_id","at","id");--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_reason" CHECK (length(reason) between 1 and 500);
--> statement-breakpoint
do $$
declare
  t text;
begin
  foreach t in array array['audit_seals', 'audit_verifications'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy migrator_all on %I to aops_migrator using (true) with check (true)', t);
    execute format('create policy web_scope on %I to aops_web using (tenant_group_id = (select app_tenant())) with check (tenant_group_id = (select app_tenant()))', t);
    execute format('create policy worker_scope on %1$I to aops_worker using (%2$s) with check (%2$s)', t,
      '(select app_worker()) is not null and ((select app_tenant()) is null or tenant_group_id = (select app_tenant()))');
    execute format('grant select on %I to aops_web, aops_worker', t);
  end loop;
end $$;
--> statement-breakpoint
grant insert on audit_verifications to aops_web;
--> statement-breakpoint
grant insert on audit_seals to aops_worker;
--> statement-breakpoint
grant insert, update on audit_verifications to aops_worker;
--> statement-breakpoint
grant update (sealed_seq) on audit_entries to aops_worker;
