CREATE TABLE "audit_log" (
	"id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"actor_id" uuid,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"subject_id" text NOT NULL,
	"reason" text,
	"data" jsonb
);
--> statement-breakpoint
CREATE TABLE "model_candidates" (
	"id" uuid PRIMARY KEY NOT NULL,
	"model_id" uuid NOT NULL,
	"channel_id" uuid NOT NULL,
	"upstream_model" text NOT NULL,
	"endpoint" text NOT NULL,
	"priority" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "model_candidates_priority" CHECK ("model_candidates"."priority" between 1 and 100)
);
--> statement-breakpoint
CREATE TABLE "webhook_inbox" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel_id" uuid NOT NULL,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_received_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deliveries" integer DEFAULT 1 NOT NULL,
	"dedupe_key" text NOT NULL,
	"status" text NOT NULL,
	"verified" boolean NOT NULL,
	"upstream_id" text,
	"client_ref" uuid,
	"upstream_status" text,
	"reason" text,
	"dispatch_id" uuid,
	"matched_at" timestamp with time zone,
	"body" text NOT NULL,
	"headers" jsonb NOT NULL,
	CONSTRAINT "webhook_inbox_status_known" CHECK ("webhook_inbox"."status" in ('pending', 'matched', 'refused')),
	CONSTRAINT "webhook_inbox_matched" CHECK (("webhook_inbox"."status" = 'matched') = ("webhook_inbox"."dispatch_id" is not null))
);
--> statement-breakpoint
ALTER TABLE "models" ADD COLUMN "reference_roles" jsonb DEFAULT '["reference"]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "provider_channels" ADD COLUMN "cool_down_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "provider_channels" ADD COLUMN "requests_per_minute" integer;--> statement-breakpoint
ALTER TABLE "provider_channels" ADD COLUMN "next_create_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "provider_channels" ADD COLUMN "poll_pace" jsonb;--> statement-breakpoint
ALTER TABLE "provider_channels" ADD COLUMN "deadline_seconds" integer;--> statement-breakpoint
ALTER TABLE "provider_channels" ADD COLUMN "result_window_seconds" integer;--> statement-breakpoint
ALTER TABLE "provider_channels" ADD COLUMN "settings" jsonb;--> statement-breakpoint
ALTER TABLE "provider_channels" ADD COLUMN "webhook_secret" jsonb;--> statement-breakpoint
ALTER TABLE "dispatches" ADD COLUMN "rejection_scope" text;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_actor_id_users_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_candidates" ADD CONSTRAINT "model_candidates_model_id_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."models"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_candidates" ADD CONSTRAINT "model_candidates_channel_id_provider_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."provider_channels"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_inbox" ADD CONSTRAINT "webhook_inbox_channel_id_provider_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."provider_channels"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_inbox" ADD CONSTRAINT "webhook_inbox_dispatch_id_dispatches_id_fk" FOREIGN KEY ("dispatch_id") REFERENCES "public"."dispatches"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_subject_idx" ON "audit_log" USING btree ("subject","subject_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "model_candidates_target_key" ON "model_candidates" USING btree ("model_id","channel_id","upstream_model");--> statement-breakpoint
CREATE UNIQUE INDEX "model_candidates_priority_key" ON "model_candidates" USING btree ("model_id","priority");--> statement-breakpoint
CREATE INDEX "model_candidates_channel_idx" ON "model_candidates" USING btree ("channel_id");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_inbox_dedupe_key" ON "webhook_inbox" USING btree ("channel_id","dedupe_key");--> statement-breakpoint
CREATE INDEX "webhook_inbox_pending_idx" ON "webhook_inbox" USING btree ("channel_id","upstream_id") WHERE "webhook_inbox"."status" = 'pending';--> statement-breakpoint
ALTER TABLE "provider_channels" ADD CONSTRAINT "provider_channels_requests_per_minute" CHECK ("provider_channels"."requests_per_minute" between 1 and 100000);--> statement-breakpoint
ALTER TABLE "provider_channels" ADD CONSTRAINT "provider_channels_deadline" CHECK ("provider_channels"."deadline_seconds" between 30 and 604800);--> statement-breakpoint
ALTER TABLE "provider_channels" ADD CONSTRAINT "provider_channels_result_window" CHECK ("provider_channels"."result_window_seconds" between 60 and 2592000);