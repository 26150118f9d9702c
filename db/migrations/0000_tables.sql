CREATE TABLE "appointment_equipment" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "appointment_equipment_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"appointment_id" uuid NOT NULL,
	"equipment_id" uuid NOT NULL,
	"during" "tstzrange" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "appointment_history" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"appointment_id" uuid NOT NULL,
	"version" bigint NOT NULL,
	"command_id" uuid NOT NULL,
	"change" text NOT NULL,
	"from_status" text,
	"to_status" text NOT NULL,
	"from_starts_at" timestamp with time zone,
	"to_starts_at" timestamp with time zone NOT NULL,
	"from_doctor_id" uuid,
	"to_doctor_id" uuid NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_ref" text NOT NULL,
	"actor_role" text,
	"source" text NOT NULL,
	"reason_code" text,
	"note" text,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "appointment_history_version_key" UNIQUE("tenant_group_id","appointment_id","version"),
	CONSTRAINT "appointment_history_change" CHECK (change in ('CREATED', 'RESCHEDULED', 'CANCELLED', 'STATUS_CHANGED')),
	CONSTRAINT "appointment_history_status" CHECK (to_status in ('REQUESTED', 'CONFIRMED', 'PENDING_RESCHEDULE', 'CHECKED_IN', 'IN_PROGRESS', 'COMPLETED', 'NO_SHOW', 'CANCELLED') and from_status in ('REQUESTED', 'CONFIRMED', 'PENDING_RESCHEDULE', 'CHECKED_IN', 'IN_PROGRESS', 'COMPLETED', 'NO_SHOW', 'CANCELLED')),
	CONSTRAINT "appointment_history_created" CHECK ((change = 'CREATED') = (from_status is null)),
	CONSTRAINT "appointment_history_actor" CHECK (actor_kind in ('person', 'token', 'worker')),
	CONSTRAINT "appointment_history_source" CHECK (source in ('DESK', 'API', 'IMPORT', 'WORKER')),
	CONSTRAINT "appointment_history_note" CHECK (length(note) <= 500)
);
--> statement-breakpoint
CREATE TABLE "appointments" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"ref" text NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"placement_version" bigint DEFAULT 1 NOT NULL,
	"status" text NOT NULL,
	"patient_id" uuid NOT NULL,
	"doctor_id" uuid NOT NULL,
	"treatment_id" uuid NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"local_date" date NOT NULL,
	"local_start" timestamp NOT NULL,
	"utc_offset_seconds" integer NOT NULL,
	"pinned" boolean DEFAULT false NOT NULL,
	"told_placement_version" bigint,
	"source" text NOT NULL,
	"command_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "appointments_ref_key" UNIQUE("tenant_group_id","ref"),
	CONSTRAINT "appointments_tenant_key" UNIQUE("tenant_group_id","id"),
	CONSTRAINT "appointments_status" CHECK (status in ('REQUESTED', 'CONFIRMED', 'PENDING_RESCHEDULE', 'CHECKED_IN', 'IN_PROGRESS', 'COMPLETED', 'NO_SHOW', 'CANCELLED')),
	CONSTRAINT "appointments_time" CHECK (starts_at < ends_at),
	CONSTRAINT "appointments_versions" CHECK (version > 0 and placement_version between 1 and version),
	CONSTRAINT "appointments_source" CHECK (source in ('DESK', 'API', 'IMPORT'))
);
--> statement-breakpoint
CREATE TABLE "daily_load" (
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"local_date" date NOT NULL,
	"booked" integer DEFAULT 0 NOT NULL,
	"arrived" integer DEFAULT 0 NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"no_show" integer DEFAULT 0 NOT NULL,
	"as_of" timestamp with time zone NOT NULL,
	CONSTRAINT "daily_load_key" UNIQUE("tenant_group_id","clinic_id","local_date"),
	CONSTRAINT "daily_load_counts" CHECK (booked >= 0 and arrived >= 0 and done >= 0 and no_show >= 0)
);
--> statement-breakpoint
CREATE TABLE "daily_load_visits" (
	"appointment_id" uuid PRIMARY KEY NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"local_date" date NOT NULL,
	"status" text NOT NULL,
	"version" bigint NOT NULL,
	CONSTRAINT "daily_load_visits_status" CHECK (status in ('REQUESTED', 'CONFIRMED', 'PENDING_RESCHEDULE', 'CHECKED_IN', 'IN_PROGRESS', 'COMPLETED', 'NO_SHOW', 'CANCELLED'))
);
--> statement-breakpoint
CREATE TABLE "resource_claims" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "resource_claims_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"appointment_id" uuid NOT NULL,
	"resource_id" uuid NOT NULL,
	"during" "tstzrange" NOT NULL,
	"seats" integer,
	"overridden" boolean DEFAULT false NOT NULL,
	"overridden_by" uuid,
	"override_reason" text,
	"clashes_with" uuid[],
	CONSTRAINT "resource_claims_during" CHECK (not isempty(during) and lower_inc(during) and not upper_inc(during)),
	CONSTRAINT "resource_claims_seats" CHECK (seats > 0),
	CONSTRAINT "resource_claims_override" CHECK (overridden = (overridden_by is not null) and overridden = (override_reason is not null) and overridden = (clashes_with is not null))
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid,
	"actor_kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_ref" text NOT NULL,
	"actor_role" text,
	"act" text NOT NULL,
	"result" text NOT NULL,
	"reason_code" text,
	"subject_type" text,
	"subject_id" uuid,
	"command_id" uuid,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "audit_entries_result" CHECK (result in ('DONE', 'REFUSED', 'NO_CHANGE', 'STALE_REJECTED')),
	CONSTRAINT "audit_entries_actor" CHECK (actor_kind in ('person', 'token', 'worker', 'command-line'))
);
--> statement-breakpoint
CREATE TABLE "absences" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"doctor_id" uuid NOT NULL,
	"local_from" timestamp NOT NULL,
	"local_until" timestamp NOT NULL,
	"during" "tstzrange" NOT NULL,
	"reason" text NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "absences_during" CHECK (not isempty(during) and local_from < local_until)
);
--> statement-breakpoint
CREATE TABLE "breaks" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"doctor_id" uuid,
	"weekday" smallint,
	"starts" time(0) NOT NULL,
	"ends" time(0) NOT NULL,
	"label" text DEFAULT 'Break' NOT NULL,
	CONSTRAINT "breaks_weekday" CHECK (weekday between 1 and 7)
);
--> statement-breakpoint
CREATE TABLE "clinic_hours" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"weekday" smallint NOT NULL,
	"opens" time(0) NOT NULL,
	"closes" time(0) NOT NULL,
	CONSTRAINT "clinic_hours_weekday" CHECK (weekday between 1 and 7)
);
--> statement-breakpoint
CREATE TABLE "clinics" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"ref" text NOT NULL,
	"name" text NOT NULL,
	"zone" text NOT NULL,
	"grid_minutes" integer DEFAULT 15 NOT NULL,
	"default_doctor_seats" integer DEFAULT 1 NOT NULL,
	"resource_id" uuid,
	"open_on_holidays" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "clinics_ref_key" UNIQUE("tenant_group_id","ref"),
	CONSTRAINT "clinics_tenant_key" UNIQUE("tenant_group_id","id"),
	CONSTRAINT "clinics_grid" CHECK (grid_minutes between 5 and 120),
	CONSTRAINT "clinics_default_doctor_seats" CHECK (default_doctor_seats > 0)
);
--> statement-breakpoint
CREATE TABLE "closures" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"local_from" timestamp NOT NULL,
	"local_until" timestamp NOT NULL,
	"during" "tstzrange" NOT NULL,
	"reason" text NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "closures_during" CHECK (not isempty(during) and local_from < local_until)
);
--> statement-breakpoint
CREATE TABLE "doctor_hours" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"doctor_id" uuid NOT NULL,
	"weekday" smallint NOT NULL,
	"starts" time(0) NOT NULL,
	"ends" time(0) NOT NULL,
	CONSTRAINT "doctor_hours_weekday" CHECK (weekday between 1 and 7)
);
--> statement-breakpoint
CREATE TABLE "doctors" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"ref" text NOT NULL,
	"name" text NOT NULL,
	"specialty" text NOT NULL,
	"provider_type" text DEFAULT 'DOCTOR' NOT NULL,
	"seats" integer,
	"resource_id" uuid NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	CONSTRAINT "doctors_ref_key" UNIQUE("tenant_group_id","ref"),
	CONSTRAINT "doctors_clinic_key" UNIQUE("tenant_group_id","clinic_id","id"),
	CONSTRAINT "doctors_seats" CHECK (seats > 0)
);
--> statement-breakpoint
CREATE TABLE "equipment" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"ref" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"quantity" integer DEFAULT 1 NOT NULL,
	"resource_id" uuid NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	CONSTRAINT "equipment_ref_key" UNIQUE("tenant_group_id","ref"),
	CONSTRAINT "equipment_clinic_key" UNIQUE("tenant_group_id","clinic_id","id"),
	CONSTRAINT "equipment_kind" CHECK (kind in ('DEVICE', 'ROOM')),
	CONSTRAINT "equipment_quantity" CHECK (quantity > 0)
);
--> statement-breakpoint
CREATE TABLE "holidays" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"on_date" date NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "holidays_key" UNIQUE("tenant_group_id","clinic_id","on_date")
);
--> statement-breakpoint
CREATE TABLE "planning_scopes" (
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid PRIMARY KEY NOT NULL,
	"fact_version" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "resource_outages" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"resource_id" uuid NOT NULL,
	"local_from" timestamp NOT NULL,
	"local_until" timestamp NOT NULL,
	"during" "tstzrange" NOT NULL,
	"units" integer NOT NULL,
	"reason" text NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "resource_outages_during" CHECK (not isempty(during) and local_from < local_until),
	CONSTRAINT "resource_outages_units" CHECK (units > 0)
);
--> statement-breakpoint
CREATE TABLE "resources" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"seats" integer NOT NULL,
	"claims_seq" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "resources_tenant_key" UNIQUE("tenant_group_id","id"),
	CONSTRAINT "resources_kind" CHECK (kind in ('DOCTOR', 'DEVICE', 'ROOM', 'PATIENT', 'CLINIC')),
	CONSTRAINT "resources_seats" CHECK (seats > 0)
);
--> statement-breakpoint
CREATE TABLE "treatment_need_options" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "treatment_need_options_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"need_id" uuid NOT NULL,
	"equipment_id" uuid NOT NULL,
	"preference" smallint DEFAULT 0 NOT NULL,
	CONSTRAINT "treatment_need_options_key" UNIQUE("need_id","equipment_id")
);
--> statement-breakpoint
CREATE TABLE "treatment_needs" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"treatment_id" uuid NOT NULL,
	"position" smallint NOT NULL,
	"usage_offset_minutes" integer DEFAULT 0 NOT NULL,
	"usage_minutes" integer,
	CONSTRAINT "treatment_needs_key" UNIQUE("tenant_group_id","treatment_id","position"),
	CONSTRAINT "treatment_needs_clinic_key" UNIQUE("tenant_group_id","clinic_id","id"),
	CONSTRAINT "treatment_needs_usage" CHECK (usage_offset_minutes >= 0 and usage_minutes > 0)
);
--> statement-breakpoint
CREATE TABLE "treatments" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"ref" text NOT NULL,
	"name" text NOT NULL,
	"duration_minutes" integer NOT NULL,
	"buffer_before_minutes" integer DEFAULT 0 NOT NULL,
	"buffer_after_minutes" integer DEFAULT 0 NOT NULL,
	"provider_type" text,
	"seats" integer,
	"active" boolean DEFAULT true NOT NULL,
	CONSTRAINT "treatments_ref_key" UNIQUE("tenant_group_id","ref"),
	CONSTRAINT "treatments_clinic_key" UNIQUE("tenant_group_id","clinic_id","id"),
	CONSTRAINT "treatments_duration" CHECK (duration_minutes between 5 and 720),
	CONSTRAINT "treatments_buffers" CHECK (buffer_before_minutes between 0 and 240 and buffer_after_minutes between 0 and 240),
	CONSTRAINT "treatments_seats" CHECK (seats > 0)
);
--> statement-breakpoint
CREATE TABLE "log_group_members" (
	"group_id" text NOT NULL,
	"member_id" text NOT NULL,
	"alive_until" timestamp with time zone NOT NULL,
	CONSTRAINT "log_group_members_group_id_member_id_pk" PRIMARY KEY("group_id","member_id")
);
--> statement-breakpoint
CREATE TABLE "log_group_offsets" (
	"group_id" text NOT NULL,
	"topic" text NOT NULL,
	"partition" integer NOT NULL,
	"next_offset" bigint DEFAULT 0 NOT NULL,
	"fence" bigint DEFAULT 0 NOT NULL,
	"owner" text,
	"lease_until" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "log_group_offsets_group_id_topic_partition_pk" PRIMARY KEY("group_id","topic","partition"),
	CONSTRAINT "log_group_offsets_lease" CHECK ((owner is null) = (lease_until is null))
);
--> statement-breakpoint
CREATE TABLE "log_identity" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "log_partitions" (
	"topic" text NOT NULL,
	"partition" integer NOT NULL,
	"next_offset" bigint DEFAULT 0 NOT NULL,
	"low_offset" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "log_partitions_topic_partition_pk" PRIMARY KEY("topic","partition"),
	CONSTRAINT "log_partitions_offsets" CHECK (low_offset between 0 and next_offset)
);
--> statement-breakpoint
CREATE TABLE "log_records" (
	"topic" text NOT NULL,
	"partition" integer NOT NULL,
	"offset" bigint NOT NULL,
	"key" text NOT NULL,
	"headers" jsonb NOT NULL,
	"value" "bytea" NOT NULL,
	"appended_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "log_records_topic_partition_offset_pk" PRIMARY KEY("topic","partition","offset")
);
--> statement-breakpoint
CREATE TABLE "command_calls" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"caller" text NOT NULL,
	"key" text NOT NULL,
	"operation" text NOT NULL,
	"command_id" uuid,
	"outcome" text NOT NULL,
	"status" smallint NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"request_id" text NOT NULL,
	"called_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"duration_ms" integer NOT NULL,
	CONSTRAINT "command_calls_outcome" CHECK (outcome in ('FIRST', 'REPLAYED', 'REUSED', 'IN_PROGRESS', 'OVERLOADED')),
	CONSTRAINT "command_calls_actor" CHECK (actor_kind in ('person', 'token', 'worker')),
	CONSTRAINT "command_calls_known" CHECK (outcome in ('IN_PROGRESS', 'OVERLOADED') or command_id is not null)
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"caller" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"fingerprint_version" smallint NOT NULL,
	"fingerprint_key_id" text NOT NULL,
	"command_id" uuid DEFAULT uuidv7() NOT NULL,
	"operation" text NOT NULL,
	"appointment_id" uuid,
	"status" smallint,
	"body" text,
	"location" text,
	"etag" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY("tenant_group_id","clinic_id","caller","key"),
	CONSTRAINT "idempotency_keys_answer" CHECK ((status is null) = (body is null)),
	CONSTRAINT "idempotency_keys_status" CHECK (status between 200 and 299 or status in (404, 409, 412, 422))
);
--> statement-breakpoint
CREATE TABLE "inbox" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"consumer" text NOT NULL,
	"event_id" uuid NOT NULL,
	"command_id" uuid,
	"event_type" text NOT NULL,
	"schema_version" integer NOT NULL,
	"aggregate_type" text NOT NULL,
	"aggregate_id" uuid NOT NULL,
	"aggregate_seq" bigint NOT NULL,
	"content_digest" text NOT NULL,
	"digest_key_id" text NOT NULL,
	"log_id" text NOT NULL,
	"topic" text NOT NULL,
	"partition" integer NOT NULL,
	"first_offset" bigint NOT NULL,
	"last_partition" integer NOT NULL,
	"last_offset" bigint NOT NULL,
	"state" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"attempts_max" integer NOT NULL,
	"fence" bigint DEFAULT 0 NOT NULL,
	"lease_owner" text,
	"lease_until" timestamp with time zone,
	"next_attempt_at" timestamp with time zone,
	"reason_code" text,
	"blocked_by" uuid,
	"effect" text,
	"version" bigint DEFAULT 1 NOT NULL,
	"received_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"processed_at" timestamp with time zone,
	"quarantined_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "inbox_identity_key" UNIQUE("consumer","event_id"),
	CONSTRAINT "inbox_state" CHECK (state in ('PROCESSING', 'PROCESSED', 'RETRYABLE', 'QUARANTINED')),
	CONSTRAINT "inbox_lease" CHECK ((state = 'PROCESSING') = (lease_until is not null) and (state = 'PROCESSING') = (lease_owner is not null)),
	CONSTRAINT "inbox_processed" CHECK ((state = 'PROCESSED') = (processed_at is not null) and (state = 'PROCESSED') = (effect is not null)),
	CONSTRAINT "inbox_effect" CHECK (effect in ('APPLIED', 'NO_EFFECT') and (effect <> 'NO_EFFECT' or reason_code is not null)),
	CONSTRAINT "inbox_quarantined" CHECK ((state = 'QUARANTINED') = (quarantined_at is not null)),
	CONSTRAINT "inbox_reason" CHECK (state not in ('RETRYABLE', 'QUARANTINED') or reason_code is not null),
	CONSTRAINT "inbox_retryable" CHECK ((state = 'RETRYABLE') = (next_attempt_at is not null or blocked_by is not null) and (blocked_by is not null) = (reason_code is not distinct from 'BLOCKED_BY')),
	CONSTRAINT "inbox_attempts" CHECK (attempts >= 0 and attempts_max > 0)
);
--> statement-breakpoint
CREATE TABLE "inbox_deliveries" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"consumer" text NOT NULL,
	"event_id" uuid NOT NULL,
	"command_id" uuid,
	"attempt" integer,
	"fence" bigint,
	"outcome" text NOT NULL,
	"reason_code" text,
	"log_id" text NOT NULL,
	"partition" integer NOT NULL,
	"offset" bigint NOT NULL,
	"worker" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "inbox_deliveries_outcome" CHECK (outcome in ('PROCESSED', 'DUPLICATE', 'RETRYABLE', 'QUARANTINED', 'FENCED')),
	CONSTRAINT "inbox_deliveries_reason" CHECK (outcome not in ('RETRYABLE', 'QUARANTINED') or reason_code is not null)
);
--> statement-breakpoint
CREATE TABLE "inbox_rejections" (
	"consumer" text NOT NULL,
	"log_id" text NOT NULL,
	"topic" text NOT NULL,
	"partition" smallint NOT NULL,
	"offset" bigint NOT NULL,
	"reason_code" text NOT NULL,
	"content_digest" text NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "inbox_rejections_consumer_log_id_topic_partition_offset_pk" PRIMARY KEY("consumer","log_id","topic","partition","offset")
);
--> statement-breakpoint
CREATE TABLE "inbox_sequences" (
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"consumer" text NOT NULL,
	"aggregate_type" text NOT NULL,
	"aggregate_id" uuid NOT NULL,
	"last_applied_seq" bigint NOT NULL,
	CONSTRAINT "inbox_sequences_consumer_aggregate_type_aggregate_id_pk" PRIMARY KEY("consumer","aggregate_type","aggregate_id")
);
--> statement-breakpoint
CREATE TABLE "worker_heartbeats" (
	"worker_id" text PRIMARY KEY NOT NULL,
	"role" text NOT NULL,
	"started_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"beat_at" timestamp with time zone NOT NULL,
	"state" text NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "worker_heartbeats_state" CHECK (state in ('RUNNING', 'PAUSED', 'STOPPED'))
);
--> statement-breakpoint
CREATE TABLE "mailbox_messages" (
	"intent_id" uuid PRIMARY KEY NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"address" text NOT NULL,
	"subject" text NOT NULL,
	"body" text NOT NULL,
	"received_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_deliveries" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"intent_id" uuid NOT NULL,
	"command_id" uuid NOT NULL,
	"attempt" integer NOT NULL,
	"fence" bigint NOT NULL,
	"provider" text NOT NULL,
	"outcome" text NOT NULL,
	"reason_code" text,
	"provider_reference" text,
	"worker" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "notification_deliveries_outcome" CHECK (outcome in ('SENT', 'RETRY_WAIT', 'SUPPRESSED', 'EXHAUSTED', 'UNKNOWN', 'FENCED')),
	CONSTRAINT "notification_deliveries_reason" CHECK (outcome not in ('RETRY_WAIT', 'SUPPRESSED', 'EXHAUSTED', 'UNKNOWN') or reason_code is not null)
);
--> statement-breakpoint
CREATE TABLE "notification_intents" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"command_id" uuid NOT NULL,
	"appointment_id" uuid NOT NULL,
	"appointment_version" bigint NOT NULL,
	"patient_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"state" text DEFAULT 'PENDING' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"fence" bigint DEFAULT 0 NOT NULL,
	"lease_owner" text,
	"lease_until" timestamp with time zone,
	"next_attempt_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"reason_code" text,
	"provider" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "notification_intents_change_key" UNIQUE("tenant_group_id","appointment_id","appointment_version","kind"),
	CONSTRAINT "notification_intents_kind" CHECK (kind in ('BOOKED', 'REQUESTED', 'CONFIRMED', 'MOVED', 'CANCELLED', 'REMINDER')),
	CONSTRAINT "notification_intents_state" CHECK (state in ('PENDING', 'SENDING', 'SENT', 'RETRY_WAIT', 'SUPPRESSED', 'EXHAUSTED', 'UNKNOWN')),
	CONSTRAINT "notification_intents_lease" CHECK ((state = 'SENDING') = (lease_until is not null) and (state = 'SENDING') = (lease_owner is not null)),
	CONSTRAINT "notification_intents_settled" CHECK ((state in ('SENT', 'SUPPRESSED', 'EXHAUSTED', 'UNKNOWN')) = (settled_at is not null)),
	CONSTRAINT "notification_intents_reason" CHECK (state not in ('RETRY_WAIT', 'SUPPRESSED', 'EXHAUSTED', 'UNKNOWN') or reason_code is not null)
);
--> statement-breakpoint
CREATE TABLE "reminders" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"appointment_id" uuid NOT NULL,
	"appointment_version" bigint NOT NULL,
	"command_id" uuid NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"state" text NOT NULL,
	"reason_code" text,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "reminders_appointment_key" UNIQUE("tenant_group_id","appointment_id"),
	CONSTRAINT "reminders_state" CHECK (state in ('PLANNED', 'CANCELLED', 'SENT')),
	CONSTRAINT "reminders_reason" CHECK (state <> 'CANCELLED' or reason_code is not null)
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"event_id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"command_id" uuid NOT NULL,
	"topic" text NOT NULL,
	"partition_key" text NOT NULL,
	"aggregate_type" text NOT NULL,
	"aggregate_id" uuid NOT NULL,
	"aggregate_seq" bigint NOT NULL,
	"type" text NOT NULL,
	"schema_version" smallint NOT NULL,
	"payload" jsonb NOT NULL,
	"traceparent" text,
	"state" text DEFAULT 'PENDING' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"lease_owner" text,
	"lease_until" timestamp with time zone,
	"reason_code" text,
	"log_id" text,
	"log_partition" integer,
	"log_offset" bigint,
	"occurred_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"published_at" timestamp with time zone,
	CONSTRAINT "outbox_sequence_key" UNIQUE("aggregate_type","aggregate_id","aggregate_seq"),
	CONSTRAINT "outbox_state" CHECK (state in ('PENDING', 'CLAIMED', 'PUBLISHED', 'FAILED', 'SKIPPED')),
	CONSTRAINT "outbox_lease" CHECK ((state = 'CLAIMED') = (lease_until is not null) and (state = 'CLAIMED') = (lease_owner is not null)),
	CONSTRAINT "outbox_published" CHECK ((state = 'PUBLISHED') = (published_at is not null) and (state = 'PUBLISHED') = (log_offset is not null) and (log_offset is null) = (log_id is null) and (log_offset is null) = (log_partition is null)),
	CONSTRAINT "outbox_reason" CHECK (state not in ('FAILED', 'SKIPPED') or reason_code is not null),
	CONSTRAINT "outbox_payload" CHECK (jsonb_typeof(payload) = 'object')
);
--> statement-breakpoint
CREATE TABLE "patients" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"ref" text NOT NULL,
	"resource_id" uuid NOT NULL,
	"name" text,
	"name_search" text DEFAULT '' NOT NULL,
	"phone" text,
	"phone_digits" text,
	"email" text,
	"birth_date" date,
	"language" text DEFAULT 'en' NOT NULL,
	"external_reference" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "patients_ref_key" UNIQUE("tenant_group_id","ref"),
	CONSTRAINT "patients_tenant_key" UNIQUE("tenant_group_id","id"),
	CONSTRAINT "patients_external_key" UNIQUE("tenant_group_id","external_reference"),
	CONSTRAINT "patients_resource_key" UNIQUE("tenant_group_id","resource_id"),
	CONSTRAINT "patients_language" CHECK (language in ('en', 'ko')),
	CONSTRAINT "patients_named_or_referenced" CHECK (name is not null or external_reference is not null)
);
--> statement-breakpoint
CREATE TABLE "api_clients" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"ref" text NOT NULL,
	"name" text NOT NULL,
	"disabled_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "api_clients_ref_key" UNIQUE("tenant_group_id","ref"),
	CONSTRAINT "api_clients_tenant_key" UNIQUE("tenant_group_id","id")
);
--> statement-breakpoint
CREATE TABLE "api_tokens" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"api_client_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"clinic_ids" uuid[] NOT NULL,
	"commands" text[] NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "api_tokens_tokenHash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint
);
--> statement-breakpoint
CREATE TABLE "tenant_groups" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"ref" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "tenant_groups_ref_unique" UNIQUE("ref")
);
--> statement-breakpoint
CREATE TABLE "user_roles" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"clinic_id" uuid,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "user_roles_key" UNIQUE NULLS NOT DISTINCT("tenant_group_id","user_id","role","clinic_id"),
	CONSTRAINT "user_roles_role" CHECK (role in ('FRONT_DESK', 'STAFF', 'APPOINTMENT_REPLAY_OPERATOR', 'POLICY_AUTHOR', 'POLICY_APPROVER', 'ADMIN'))
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"ref" text NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password_hash" text NOT NULL,
	"locale" text DEFAULT 'en' NOT NULL,
	"theme" text DEFAULT 'system' NOT NULL,
	"disabled_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "users_ref_key" UNIQUE("tenant_group_id","ref"),
	CONSTRAINT "users_tenant_key" UNIQUE("tenant_group_id","id"),
	CONSTRAINT "users_locale" CHECK (locale in ('en', 'ko')),
	CONSTRAINT "users_theme" CHECK (theme in ('system', 'light', 'dark'))
);
--> statement-breakpoint
ALTER TABLE "appointment_equipment" ADD CONSTRAINT "appointment_equipment_tenant_group_id_appointment_id_appointments_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","appointment_id") REFERENCES "public"."appointments"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "appointment_equipment" ADD CONSTRAINT "appointment_equipment_tenant_group_id_clinic_id_equipment_id_equipment_tenant_group_id_clinic_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id","equipment_id") REFERENCES "public"."equipment"("tenant_group_id","clinic_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "appointment_history" ADD CONSTRAINT "appointment_history_tenant_group_id_appointment_id_appointments_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","appointment_id") REFERENCES "public"."appointments"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "appointments" ADD CONSTRAINT "appointments_tenant_group_id_patient_id_patients_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","patient_id") REFERENCES "public"."patients"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "appointments" ADD CONSTRAINT "appointments_tenant_group_id_clinic_id_doctor_id_doctors_tenant_group_id_clinic_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id","doctor_id") REFERENCES "public"."doctors"("tenant_group_id","clinic_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "appointments" ADD CONSTRAINT "appointments_tenant_group_id_clinic_id_treatment_id_treatments_tenant_group_id_clinic_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id","treatment_id") REFERENCES "public"."treatments"("tenant_group_id","clinic_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "resource_claims" ADD CONSTRAINT "resource_claims_tenant_group_id_appointment_id_appointments_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","appointment_id") REFERENCES "public"."appointments"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "resource_claims" ADD CONSTRAINT "resource_claims_tenant_group_id_resource_id_resources_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","resource_id") REFERENCES "public"."resources"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "absences" ADD CONSTRAINT "absences_tenant_group_id_clinic_id_doctor_id_doctors_tenant_group_id_clinic_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id","doctor_id") REFERENCES "public"."doctors"("tenant_group_id","clinic_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "breaks" ADD CONSTRAINT "breaks_tenant_group_id_clinic_id_clinics_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id") REFERENCES "public"."clinics"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "breaks" ADD CONSTRAINT "breaks_tenant_group_id_clinic_id_doctor_id_doctors_tenant_group_id_clinic_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id","doctor_id") REFERENCES "public"."doctors"("tenant_group_id","clinic_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "clinic_hours" ADD CONSTRAINT "clinic_hours_tenant_group_id_clinic_id_clinics_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id") REFERENCES "public"."clinics"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "clinics" ADD CONSTRAINT "clinics_tenant_group_id_tenant_groups_id_fk" FOREIGN KEY ("tenant_group_id") REFERENCES "public"."tenant_groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "clinics" ADD CONSTRAINT "clinics_tenant_group_id_resource_id_resources_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","resource_id") REFERENCES "public"."resources"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "closures" ADD CONSTRAINT "closures_tenant_group_id_clinic_id_clinics_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id") REFERENCES "public"."clinics"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "doctor_hours" ADD CONSTRAINT "doctor_hours_tenant_group_id_clinic_id_doctor_id_doctors_tenant_group_id_clinic_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id","doctor_id") REFERENCES "public"."doctors"("tenant_group_id","clinic_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "doctors" ADD CONSTRAINT "doctors_tenant_group_id_clinic_id_clinics_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id") REFERENCES "public"."clinics"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "doctors" ADD CONSTRAINT "doctors_tenant_group_id_resource_id_resources_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","resource_id") REFERENCES "public"."resources"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "equipment" ADD CONSTRAINT "equipment_tenant_group_id_clinic_id_clinics_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id") REFERENCES "public"."clinics"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "equipment" ADD CONSTRAINT "equipment_tenant_group_id_resource_id_resources_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","resource_id") REFERENCES "public"."resources"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holidays" ADD CONSTRAINT "holidays_tenant_group_id_clinic_id_clinics_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id") REFERENCES "public"."clinics"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "planning_scopes" ADD CONSTRAINT "planning_scopes_tenant_group_id_clinic_id_clinics_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id") REFERENCES "public"."clinics"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "resource_outages" ADD CONSTRAINT "resource_outages_tenant_group_id_clinic_id_clinics_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id") REFERENCES "public"."clinics"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "resource_outages" ADD CONSTRAINT "resource_outages_tenant_group_id_resource_id_resources_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","resource_id") REFERENCES "public"."resources"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "resources" ADD CONSTRAINT "resources_tenant_group_id_tenant_groups_id_fk" FOREIGN KEY ("tenant_group_id") REFERENCES "public"."tenant_groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "treatment_need_options" ADD CONSTRAINT "treatment_need_options_tenant_group_id_clinic_id_need_id_treatment_needs_tenant_group_id_clinic_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id","need_id") REFERENCES "public"."treatment_needs"("tenant_group_id","clinic_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "treatment_need_options" ADD CONSTRAINT "treatment_need_options_tenant_group_id_clinic_id_equipment_id_equipment_tenant_group_id_clinic_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id","equipment_id") REFERENCES "public"."equipment"("tenant_group_id","clinic_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "treatment_needs" ADD CONSTRAINT "treatment_needs_tenant_group_id_clinic_id_treatment_id_treatments_tenant_group_id_clinic_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id","treatment_id") REFERENCES "public"."treatments"("tenant_group_id","clinic_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "treatments" ADD CONSTRAINT "treatments_tenant_group_id_clinic_id_clinics_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id") REFERENCES "public"."clinics"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_messages" ADD CONSTRAINT "mailbox_messages_intent_id_notification_intents_id_fk" FOREIGN KEY ("intent_id") REFERENCES "public"."notification_intents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_intent_id_notification_intents_id_fk" FOREIGN KEY ("intent_id") REFERENCES "public"."notification_intents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_intents" ADD CONSTRAINT "notification_intents_tenant_group_id_appointment_id_appointments_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","appointment_id") REFERENCES "public"."appointments"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reminders" ADD CONSTRAINT "reminders_tenant_group_id_appointment_id_appointments_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","appointment_id") REFERENCES "public"."appointments"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "patients" ADD CONSTRAINT "patients_tenant_group_id_resource_id_resources_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","resource_id") REFERENCES "public"."resources"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_clients" ADD CONSTRAINT "api_clients_tenant_group_id_tenant_groups_id_fk" FOREIGN KEY ("tenant_group_id") REFERENCES "public"."tenant_groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_tenant_group_id_api_client_id_api_clients_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","api_client_id") REFERENCES "public"."api_clients"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_roles" ADD CONSTRAINT "user_roles_tenant_group_id_user_id_users_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","user_id") REFERENCES "public"."users"("tenant_group_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_tenant_group_id_tenant_groups_id_fk" FOREIGN KEY ("tenant_group_id") REFERENCES "public"."tenant_groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "appointment_equipment_appointment" ON "appointment_equipment" USING btree ("appointment_id");--> statement-breakpoint
CREATE INDEX "appointment_history_command" ON "appointment_history" USING btree ("command_id");--> statement-breakpoint
CREATE INDEX "appointments_day" ON "appointments" USING btree ("clinic_id","local_date","starts_at","id");--> statement-breakpoint
CREATE INDEX "appointments_patient" ON "appointments" USING btree ("tenant_group_id","patient_id","starts_at");--> statement-breakpoint
CREATE INDEX "resource_claims_resource" ON "resource_claims" USING gist ("resource_id","during");--> statement-breakpoint
CREATE INDEX "resource_claims_appointment" ON "resource_claims" USING btree ("appointment_id");--> statement-breakpoint
CREATE INDEX "audit_entries_clinic" ON "audit_entries" USING btree ("tenant_group_id","clinic_id","at");--> statement-breakpoint
CREATE INDEX "audit_entries_command" ON "audit_entries" USING btree ("command_id");--> statement-breakpoint
CREATE INDEX "audit_entries_subject" ON "audit_entries" USING btree ("subject_id","at");--> statement-breakpoint
CREATE INDEX "absences_clinic" ON "absences" USING gist ("clinic_id","during");--> statement-breakpoint
CREATE INDEX "breaks_clinic" ON "breaks" USING btree ("clinic_id");--> statement-breakpoint
CREATE INDEX "clinic_hours_clinic" ON "clinic_hours" USING btree ("clinic_id");--> statement-breakpoint
CREATE INDEX "closures_clinic" ON "closures" USING gist ("clinic_id","during");--> statement-breakpoint
CREATE INDEX "doctor_hours_clinic" ON "doctor_hours" USING btree ("clinic_id");--> statement-breakpoint
CREATE INDEX "resource_outages_resource" ON "resource_outages" USING gist ("resource_id","during");--> statement-breakpoint
CREATE INDEX "command_calls_command" ON "command_calls" USING btree ("command_id");--> statement-breakpoint
CREATE INDEX "command_calls_key" ON "command_calls" USING btree ("tenant_group_id","clinic_id","caller","key");--> statement-breakpoint
CREATE INDEX "command_calls_outcome" ON "command_calls" USING btree ("clinic_id","outcome","called_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_command" ON "idempotency_keys" USING btree ("command_id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_expires" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "inbox_unfinished" ON "inbox" USING btree ("consumer","aggregate_type","aggregate_id","aggregate_seq") WHERE state <> 'PROCESSED';--> statement-breakpoint
CREATE INDEX "inbox_due" ON "inbox" USING btree ("next_attempt_at") WHERE state = 'RETRYABLE' and blocked_by is null;--> statement-breakpoint
CREATE INDEX "inbox_expired" ON "inbox" USING btree ("lease_until") WHERE state = 'PROCESSING';--> statement-breakpoint
CREATE INDEX "inbox_blocked" ON "inbox" USING btree ("blocked_by") WHERE blocked_by is not null;--> statement-breakpoint
CREATE INDEX "inbox_queue" ON "inbox" USING btree ("clinic_id","state","updated_at","id");--> statement-breakpoint
CREATE INDEX "inbox_command" ON "inbox" USING btree ("command_id");--> statement-breakpoint
CREATE INDEX "inbox_aggregate" ON "inbox" USING btree ("aggregate_id");--> statement-breakpoint
CREATE INDEX "inbox_deliveries_inbox" ON "inbox_deliveries" USING btree ("inbox_id","at");--> statement-breakpoint
CREATE INDEX "inbox_deliveries_outcome" ON "inbox_deliveries" USING btree ("clinic_id","outcome","at");--> statement-breakpoint
CREATE INDEX "notification_deliveries_intent" ON "notification_deliveries" USING btree ("intent_id","at");--> statement-breakpoint
CREATE INDEX "notification_deliveries_command" ON "notification_deliveries" USING btree ("command_id");--> statement-breakpoint
CREATE INDEX "notification_intents_due" ON "notification_intents" USING btree ("next_attempt_at") WHERE state in ('PENDING', 'RETRY_WAIT');--> statement-breakpoint
CREATE INDEX "notification_intents_expired" ON "notification_intents" USING btree ("lease_until") WHERE state = 'SENDING';--> statement-breakpoint
CREATE INDEX "notification_intents_command" ON "notification_intents" USING btree ("command_id");--> statement-breakpoint
CREATE INDEX "reminders_due" ON "reminders" USING btree ("due_at") WHERE state = 'PLANNED';--> statement-breakpoint
CREATE INDEX "outbox_unpublished" ON "outbox" USING btree ("aggregate_type","aggregate_id","aggregate_seq") WHERE state not in ('PUBLISHED', 'SKIPPED');--> statement-breakpoint
CREATE INDEX "outbox_due" ON "outbox" USING btree ("occurred_at") WHERE state not in ('PUBLISHED', 'SKIPPED');--> statement-breakpoint
CREATE INDEX "outbox_command" ON "outbox" USING btree ("command_id");--> statement-breakpoint
CREATE INDEX "patients_name_search" ON "patients" USING gin ("name_search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "patients_phone_digits" ON "patients" USING gin ("phone_digits" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "patients_birth_date" ON "patients" USING btree ("tenant_group_id","birth_date");--> statement-breakpoint
CREATE INDEX "api_tokens_client" ON "api_tokens" USING btree ("tenant_group_id","api_client_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_key" ON "users" USING btree (lower("email"));