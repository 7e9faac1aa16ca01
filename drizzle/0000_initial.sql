CREATE TABLE "maintenance_workers" (
	"worker_id" text PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"protocol" integer NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"heartbeats" bigint DEFAULT 0 NOT NULL,
	"lanes" jsonb DEFAULT '[]'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "models" (
	"id" uuid PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"kind" text NOT NULL,
	"title" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"channel_id" uuid NOT NULL,
	"upstream_model" text NOT NULL,
	"endpoint" text NOT NULL,
	"parameters" json NOT NULL,
	"price" jsonb NOT NULL,
	"max_prompt_characters" integer DEFAULT 4000 NOT NULL,
	"max_references" integer DEFAULT 0 NOT NULL,
	"create_timeout_seconds" integer DEFAULT 300 NOT NULL,
	"deadline_seconds" integer DEFAULT 3600 NOT NULL,
	"charged_when_cancelled" boolean DEFAULT false NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"sort_order" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "models_create_timeout" CHECK ("models"."create_timeout_seconds" between 5 and 900),
	CONSTRAINT "models_deadline" CHECK ("models"."deadline_seconds" between 30 and 604800),
	CONSTRAINT "models_kind_known" CHECK ("models"."kind" in ('image', 'video', 'audio', 'text'))
);
--> statement-breakpoint
CREATE TABLE "provider_channels" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"protocol" text NOT NULL,
	"base_url" text NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"max_in_flight" integer DEFAULT 100 NOT NULL,
	"paused_until" timestamp with time zone,
	"consecutive_failures" integer DEFAULT 0 NOT NULL,
	"last_error_class" text,
	"last_error_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "provider_channels_max_in_flight" CHECK ("provider_channels"."max_in_flight" between 1 and 100000)
);
--> statement-breakpoint
CREATE TABLE "provider_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel_id" uuid NOT NULL,
	"sealed_with" integer DEFAULT 1 NOT NULL,
	"nonce" text NOT NULL,
	"ciphertext" text NOT NULL,
	"hint" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"retired_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "credit_accounts" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"balance_credits" bigint DEFAULT 0 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credit_accounts_balance_range" CHECK ("credit_accounts"."balance_credits" between 0 and 9000000000000000)
);
--> statement-breakpoint
CREATE TABLE "credit_holds" (
	"task_id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"amount_credits" bigint NOT NULL,
	"captured_credits" bigint DEFAULT 0 NOT NULL,
	"returned_credits" bigint DEFAULT 0 NOT NULL,
	"status" text DEFAULT 'held' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"closed_at" timestamp with time zone,
	CONSTRAINT "credit_holds_amounts" CHECK ("credit_holds"."amount_credits" >= 0 and "credit_holds"."captured_credits" >= 0 and "credit_holds"."returned_credits" >= 0),
	CONSTRAINT "credit_holds_ends_once" CHECK (case "credit_holds"."status"
        when 'held' then "credit_holds"."captured_credits" = 0 and "credit_holds"."returned_credits" = 0 and "credit_holds"."closed_at" is null
        when 'refunding' then "credit_holds"."captured_credits" = 0 and "credit_holds"."returned_credits" = 0 and "credit_holds"."closed_at" is null
        when 'captured' then "credit_holds"."captured_credits" + "credit_holds"."returned_credits" = "credit_holds"."amount_credits" and "credit_holds"."closed_at" is not null
        when 'refunded' then "credit_holds"."captured_credits" = 0 and "credit_holds"."returned_credits" = "credit_holds"."amount_credits" and "credit_holds"."closed_at" is not null
        else false end)
);
--> statement-breakpoint
CREATE TABLE "credit_ledger" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"delta_credits" bigint NOT NULL,
	"balance_after_credits" bigint NOT NULL,
	"key" text NOT NULL,
	"task_id" uuid,
	"actor" text NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "credit_ledger_moves" CHECK ("credit_ledger"."delta_credits" <> 0),
	CONSTRAINT "credit_ledger_balance_range" CHECK ("credit_ledger"."balance_after_credits" >= 0),
	CONSTRAINT "credit_ledger_kind_known" CHECK ("credit_ledger"."kind" in ('grant', 'hold', 'return', 'refund', 'adjustment'))
);
--> statement-breakpoint
CREATE TABLE "credit_refunds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"task_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"amount_credits" bigint NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"reason" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now(),
	"last_error" text,
	"lease_until" timestamp with time zone,
	"lease_token" bigint DEFAULT 0 NOT NULL,
	"leased_by" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "credit_refunds_amount" CHECK ("credit_refunds"."amount_credits" >= 0),
	CONSTRAINT "credit_refunds_status_known" CHECK ("credit_refunds"."status" in ('pending', 'settled', 'manual')),
	CONSTRAINT "credit_refunds_settled_at" CHECK (("credit_refunds"."status" = 'settled') = ("credit_refunds"."settled_at" is not null)),
	CONSTRAINT "credit_refunds_due" CHECK (("credit_refunds"."status" = 'pending') = ("credit_refunds"."next_attempt_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "dispatches" (
	"id" uuid PRIMARY KEY NOT NULL,
	"task_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"phase" text DEFAULT 'intent' NOT NULL,
	"channel_id" uuid NOT NULL,
	"key_id" uuid,
	"executor_id" uuid NOT NULL,
	"claim_token" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp with time zone,
	"outcome" text,
	"outcome_at" timestamp with time zone,
	"evidence_from" text,
	"evidence" jsonb,
	"upstream_id" text,
	"poll_ref" jsonb,
	"artefacts" jsonb,
	"reported_units" integer,
	"error_code" text,
	"error_message" text,
	"retry_after_ms" integer,
	"raw_result" jsonb,
	"next_watch_at" timestamp with time zone,
	"watch_until" timestamp with time zone,
	"watch_count" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp with time zone,
	"lease_token" bigint DEFAULT 0 NOT NULL,
	"leased_by" uuid,
	CONSTRAINT "dispatches_sent_at" CHECK (("dispatches"."phase" = 'sent') = ("dispatches"."sent_at" is not null)),
	CONSTRAINT "dispatches_outcome_at" CHECK (("dispatches"."outcome" is null) = ("dispatches"."outcome_at" is null)),
	CONSTRAINT "dispatches_intent_never_ran" CHECK ("dispatches"."phase" = 'sent' or "dispatches"."outcome" is null or "dispatches"."outcome" = 'not_sent'),
	CONSTRAINT "dispatches_accepted_has_id" CHECK ("dispatches"."outcome" <> 'accepted' or "dispatches"."upstream_id" is not null),
	CONSTRAINT "dispatches_watch_window" CHECK ("dispatches"."next_watch_at" is null or "dispatches"."watch_until" is not null)
);
--> statement-breakpoint
CREATE TABLE "generation_task_details" (
	"task_id" uuid PRIMARY KEY NOT NULL,
	"prompt" text NOT NULL,
	"params" jsonb NOT NULL,
	"reference_ids" uuid[] DEFAULT '{}'::uuid[] NOT NULL,
	"snapshot" jsonb NOT NULL,
	"retry_of" uuid,
	"artefacts" jsonb,
	"reported_units" integer,
	"raw_result" jsonb,
	"failure_message" text,
	"failure_detail" text
);
--> statement-breakpoint
CREATE TABLE "generation_task_events" (
	"task_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"type" text NOT NULL,
	"actor" text NOT NULL,
	"executor_id" uuid,
	"worker_id" text,
	"lease_token" bigint,
	"from_status" text,
	"to_status" text,
	"reason" text,
	"data" jsonb,
	CONSTRAINT "generation_task_events_task_id_seq_pk" PRIMARY KEY("task_id","seq")
);
--> statement-breakpoint
CREATE TABLE "generation_tasks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"channel_id" uuid NOT NULL,
	"model_id" uuid NOT NULL,
	"next_poll_at" timestamp with time zone,
	"lease_until" timestamp with time zone,
	"lease_token" bigint DEFAULT 0 NOT NULL,
	"leased_by" uuid,
	"worker_id" text,
	"wake_seq" bigint DEFAULT 0 NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"event_seq" integer DEFAULT 0 NOT NULL,
	"progress" smallint,
	"uncertain_reason" text,
	"uncertain_until" timestamp with time zone,
	"waiting_for" text,
	"waiting_until" timestamp with time zone,
	"cancel_requested_at" timestamp with time zone,
	"cancel_answer" text,
	"create_tries" integer DEFAULT 0 NOT NULL,
	"give_up_at" timestamp with time zone NOT NULL,
	"deadline_at" timestamp with time zone,
	"last_polled_at" timestamp with time zone,
	"poll_count" integer DEFAULT 0 NOT NULL,
	"error_count" integer DEFAULT 0 NOT NULL,
	"missing_count" integer DEFAULT 0 NOT NULL,
	"archive_tries" integer DEFAULT 0 NOT NULL,
	"last_error_class" text,
	"last_error_at" timestamp with time zone,
	"archive_until" timestamp with time zone,
	"upstream_status" text,
	"failure_code" text,
	"has_outputs" boolean DEFAULT false NOT NULL,
	"submitted_at" timestamp with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp with time zone,
	"accepted_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "generation_tasks_status_known" CHECK ("generation_tasks"."status" in ('queued', 'dispatching', 'running', 'uncertain', 'archiving', 'waiting', 'succeeded', 'failed', 'cancelled')),
	CONSTRAINT "generation_tasks_kind_known" CHECK ("generation_tasks"."kind" in ('image', 'video', 'audio', 'text')),
	CONSTRAINT "generation_tasks_finished_iff_terminal" CHECK (("generation_tasks"."status" in ('succeeded', 'failed', 'cancelled')) = ("generation_tasks"."finished_at" is not null)),
	CONSTRAINT "generation_tasks_due_iff_live" CHECK (("generation_tasks"."status" in ('succeeded', 'failed', 'cancelled')) = ("generation_tasks"."next_poll_at" is null)),
	CONSTRAINT "generation_tasks_no_lease_when_terminal" CHECK ("generation_tasks"."finished_at" is null or "generation_tasks"."lease_until" is null),
	CONSTRAINT "generation_tasks_lease_has_holder" CHECK (("generation_tasks"."lease_until" is null) = ("generation_tasks"."leased_by" is null)),
	CONSTRAINT "generation_tasks_uncertain_ends" CHECK ("generation_tasks"."status" <> 'uncertain' or ("generation_tasks"."uncertain_until" is not null and "generation_tasks"."uncertain_reason" is not null)),
	CONSTRAINT "generation_tasks_waiting_ends" CHECK ("generation_tasks"."status" <> 'waiting' or ("generation_tasks"."waiting_until" is not null and "generation_tasks"."waiting_for" is not null)),
	CONSTRAINT "generation_tasks_running_ends" CHECK ("generation_tasks"."status" <> 'running' or "generation_tasks"."deadline_at" is not null),
	CONSTRAINT "generation_tasks_archiving_ends" CHECK ("generation_tasks"."status" <> 'archiving' or "generation_tasks"."archive_until" is not null),
	CONSTRAINT "generation_tasks_succeeded_has_outputs" CHECK ("generation_tasks"."status" <> 'succeeded' or "generation_tasks"."has_outputs"),
	CONSTRAINT "generation_tasks_failed_has_code" CHECK (("generation_tasks"."status" = 'failed') = ("generation_tasks"."failure_code" is not null)),
	CONSTRAINT "generation_tasks_progress_range" CHECK ("generation_tasks"."progress" between 0 and 100)
);
--> statement-breakpoint
CREATE TABLE "outputs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"task_id" uuid NOT NULL,
	"ordinal" integer NOT NULL,
	"kind" text NOT NULL,
	"mime" text NOT NULL,
	"bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"storage_key" text NOT NULL,
	"width" integer,
	"height" integer,
	"duration_ms" integer,
	"preview_key" text,
	"preview_tried_at" timestamp with time zone,
	"late" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "outputs_not_empty" CHECK ("outputs"."bytes" > 0),
	CONSTRAINT "outputs_ordinal" CHECK ("outputs"."ordinal" >= 0)
);
--> statement-breakpoint
CREATE TABLE "request_keys" (
	"user_id" uuid NOT NULL,
	"key" text NOT NULL,
	"body_hash" text NOT NULL,
	"task_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "request_keys_user_id_key_pk" PRIMARY KEY("user_id","key")
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"storage_key" text NOT NULL,
	"file_name" text NOT NULL,
	"mime" text NOT NULL,
	"bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"used_at" timestamp with time zone,
	CONSTRAINT "uploads_not_empty" CHECK ("uploads"."bytes" > 0)
);
--> statement-breakpoint
CREATE TABLE "api_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"token_hash" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "api_tokens_scopes_known" CHECK ("api_tokens"."scopes" <@ array['read', 'submit', 'cancel'] and cardinality("api_tokens"."scopes") > 0)
);
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer NOT NULL,
	"expire" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"user_agent" text
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"display_name" text NOT NULL,
	"password_hash" text NOT NULL,
	"role" text DEFAULT 'user' NOT NULL,
	"disabled_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_email_normalised" CHECK ("users"."email" = lower(btrim("users"."email")) and "users"."email" <> ''),
	CONSTRAINT "users_role_known" CHECK ("users"."role" in ('user', 'admin'))
);
--> statement-breakpoint
ALTER TABLE "models" ADD CONSTRAINT "models_channel_id_provider_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."provider_channels"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_keys" ADD CONSTRAINT "provider_keys_channel_id_provider_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."provider_channels"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_accounts" ADD CONSTRAINT "credit_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_holds" ADD CONSTRAINT "credit_holds_task_id_generation_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."generation_tasks"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_holds" ADD CONSTRAINT "credit_holds_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_ledger" ADD CONSTRAINT "credit_ledger_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_refunds" ADD CONSTRAINT "credit_refunds_task_id_generation_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."generation_tasks"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_refunds" ADD CONSTRAINT "credit_refunds_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dispatches" ADD CONSTRAINT "dispatches_task_id_generation_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."generation_tasks"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dispatches" ADD CONSTRAINT "dispatches_channel_id_provider_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."provider_channels"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dispatches" ADD CONSTRAINT "dispatches_key_id_provider_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."provider_keys"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_task_details" ADD CONSTRAINT "generation_task_details_task_id_generation_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."generation_tasks"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_task_events" ADD CONSTRAINT "generation_task_events_task_id_generation_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."generation_tasks"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD CONSTRAINT "generation_tasks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD CONSTRAINT "generation_tasks_channel_id_provider_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."provider_channels"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD CONSTRAINT "generation_tasks_model_id_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."models"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outputs" ADD CONSTRAINT "outputs_task_id_generation_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."generation_tasks"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "request_keys" ADD CONSTRAINT "request_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "models_slug_key" ON "models" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "models_channel_idx" ON "models" USING btree ("channel_id");--> statement-breakpoint
CREATE UNIQUE INDEX "provider_channels_name_key" ON "provider_channels" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "provider_keys_current_key" ON "provider_keys" USING btree ("channel_id") WHERE "provider_keys"."retired_at" is null;--> statement-breakpoint
CREATE INDEX "credit_holds_open_idx" ON "credit_holds" USING btree ("user_id") WHERE "credit_holds"."status" in ('held', 'refunding');--> statement-breakpoint
CREATE UNIQUE INDEX "credit_ledger_key_key" ON "credit_ledger" USING btree ("key");--> statement-breakpoint
CREATE INDEX "credit_ledger_user_idx" ON "credit_ledger" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "credit_ledger_task_idx" ON "credit_ledger" USING btree ("task_id");--> statement-breakpoint
CREATE UNIQUE INDEX "credit_refunds_task_key" ON "credit_refunds" USING btree ("task_id");--> statement-breakpoint
CREATE INDEX "credit_refunds_due_idx" ON "credit_refunds" USING btree ("next_attempt_at","id") WHERE "credit_refunds"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "credit_refunds_user_idx" ON "credit_refunds" USING btree ("user_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "dispatches_number_key" ON "dispatches" USING btree ("task_id","number");--> statement-breakpoint
CREATE UNIQUE INDEX "dispatches_one_open_key" ON "dispatches" USING btree ("task_id") WHERE "dispatches"."outcome" is null or "dispatches"."outcome" not in ('not_sent', 'rate_limited', 'rejected');--> statement-breakpoint
CREATE INDEX "dispatches_upstream_idx" ON "dispatches" USING btree ("channel_id","upstream_id") WHERE "dispatches"."upstream_id" is not null;--> statement-breakpoint
CREATE INDEX "dispatches_watch_idx" ON "dispatches" USING btree ("next_watch_at","id") WHERE "dispatches"."next_watch_at" is not null;--> statement-breakpoint
CREATE INDEX "generation_tasks_due_queued_idx" ON "generation_tasks" USING btree ("channel_id","user_id","next_poll_at","id") WHERE "generation_tasks"."status" = 'queued';--> statement-breakpoint
CREATE INDEX "generation_tasks_due_poll_idx" ON "generation_tasks" USING btree ("next_poll_at","id") WHERE "generation_tasks"."status" in ('dispatching', 'running', 'uncertain', 'waiting');--> statement-breakpoint
CREATE INDEX "generation_tasks_due_archive_idx" ON "generation_tasks" USING btree ("next_poll_at","id") WHERE "generation_tasks"."status" = 'archiving';--> statement-breakpoint
CREATE INDEX "generation_tasks_give_up_idx" ON "generation_tasks" USING btree ("give_up_at","id") WHERE "generation_tasks"."status" = 'queued';--> statement-breakpoint
CREATE INDEX "generation_tasks_user_live_idx" ON "generation_tasks" USING btree ("user_id","status","next_poll_at") WHERE "generation_tasks"."status" in ('queued', 'dispatching', 'running', 'uncertain', 'archiving', 'waiting');--> statement-breakpoint
CREATE INDEX "generation_tasks_channel_in_flight_idx" ON "generation_tasks" USING btree ("channel_id") WHERE "generation_tasks"."status" in ('dispatching', 'running');--> statement-breakpoint
CREATE INDEX "generation_tasks_user_list_idx" ON "generation_tasks" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "generation_tasks_status_list_idx" ON "generation_tasks" USING btree ("status","id");--> statement-breakpoint
CREATE UNIQUE INDEX "outputs_ordinal_key" ON "outputs" USING btree ("task_id","ordinal");--> statement-breakpoint
CREATE INDEX "outputs_preview_due_idx" ON "outputs" USING btree ("id") WHERE "outputs"."preview_tried_at" is null and "outputs"."kind" in ('image', 'video');--> statement-breakpoint
CREATE UNIQUE INDEX "request_keys_task_key" ON "request_keys" USING btree ("task_id");--> statement-breakpoint
CREATE INDEX "uploads_user_idx" ON "uploads" USING btree ("user_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_tokens_hash_key" ON "api_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "api_tokens_user_idx" ON "api_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_user_idx" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry_idx" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_key" ON "users" USING btree ("email");