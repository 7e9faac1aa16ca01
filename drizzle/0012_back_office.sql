ALTER TABLE "model_candidates" ADD COLUMN "cost" jsonb;--> statement-breakpoint
ALTER TABLE "models" ADD COLUMN "cost" jsonb;--> statement-breakpoint
ALTER TABLE "provider_channels" ADD COLUMN "tested_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "provider_channels" ADD COLUMN "tested_by" uuid;--> statement-breakpoint
ALTER TABLE "provider_channels" ADD COLUMN "test_ok" boolean;--> statement-breakpoint
ALTER TABLE "provider_channels" ADD COLUMN "test_message" text;--> statement-breakpoint
ALTER TABLE "dispatches" ADD COLUMN "usage" jsonb;--> statement-breakpoint
ALTER TABLE "dispatches" ADD COLUMN "cost_terms" jsonb;--> statement-breakpoint
ALTER TABLE "dispatches" ADD COLUMN "cost_currency" text;--> statement-breakpoint
ALTER TABLE "dispatches" ADD COLUMN "cost_ordered_micros" bigint;--> statement-breakpoint
ALTER TABLE "dispatches" ADD COLUMN "cost_micros" bigint;--> statement-breakpoint
ALTER TABLE "dispatches" ADD COLUMN "cost_from" text;--> statement-breakpoint
ALTER TABLE "prompt_templates" ADD COLUMN "language" text;--> statement-breakpoint
ALTER TABLE "provider_channels" ADD CONSTRAINT "provider_channels_tested_by_users_id_fk" FOREIGN KEY ("tested_by") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_actor_idx" ON "audit_log" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_action_idx" ON "audit_log" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "audit_log_subject_kind_idx" ON "audit_log" USING btree ("subject","id");--> statement-breakpoint
CREATE INDEX "audit_log_subject_id_idx" ON "audit_log" USING btree ("subject_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "prompt_templates_house_name_key" ON "prompt_templates" USING btree ("kind",coalesce("language", ''),lower("name")) WHERE "prompt_templates"."user_id" is null;--> statement-breakpoint
ALTER TABLE "dispatches" ADD CONSTRAINT "dispatches_cost" CHECK ("dispatches"."cost_micros" >= 0 and "dispatches"."cost_ordered_micros" >= 0);--> statement-breakpoint
ALTER TABLE "dispatches" ADD CONSTRAINT "dispatches_cost_currency" CHECK ("dispatches"."cost_terms" is null or "dispatches"."cost_currency" is not null);--> statement-breakpoint
ALTER TABLE "dispatches" ADD CONSTRAINT "dispatches_cost_known" CHECK (("dispatches"."cost_micros" is null) = ("dispatches"."cost_from" is null));--> statement-breakpoint
ALTER TABLE "prompt_templates" ADD CONSTRAINT "prompt_templates_language_known" CHECK ("prompt_templates"."language" in ('en', 'zh-CN'));