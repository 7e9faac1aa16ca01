CREATE TABLE "composite_steps" (
	"id" uuid PRIMARY KEY NOT NULL,
	"task_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"key" text NOT NULL,
	"kind" text NOT NULL,
	"status" text DEFAULT 'planned' NOT NULL,
	"child_task_id" uuid,
	"input" jsonb NOT NULL,
	"result" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "composite_steps_status_known" CHECK ("composite_steps"."status" in ('planned', 'awaiting', 'running', 'done', 'failed', 'rejected', 'skipped')),
	CONSTRAINT "composite_steps_ended_at" CHECK (("composite_steps"."status" in ('done', 'failed', 'rejected', 'skipped')) = ("composite_steps"."ended_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "composite_tasks" (
	"task_id" uuid PRIMARY KEY NOT NULL,
	"phase" text NOT NULL,
	"settings" jsonb NOT NULL,
	"plan" jsonb,
	"plan_version" integer DEFAULT 0 NOT NULL,
	"revision_of" uuid,
	"root_id" uuid NOT NULL,
	"estimate_credits" bigint,
	"paused_at" timestamp with time zone,
	"stop_requested_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "composite_tasks_estimate" CHECK ("composite_tasks"."estimate_credits" >= 0)
);
--> statement-breakpoint
ALTER TABLE "generation_tasks" DROP CONSTRAINT "generation_tasks_kind_known";--> statement-breakpoint
ALTER TABLE "credit_holds" ADD COLUMN "source" text DEFAULT 'balance' NOT NULL;--> statement-breakpoint
ALTER TABLE "credit_holds" ADD COLUMN "parent_task_id" uuid;--> statement-breakpoint
ALTER TABLE "credit_holds" ADD COLUMN "budget_free_credits" bigint;--> statement-breakpoint
ALTER TABLE "credit_holds" ADD COLUMN "budget_spent_credits" bigint;--> statement-breakpoint
ALTER TABLE "generation_task_details" ADD COLUMN "conversation" jsonb;--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD COLUMN "parent_id" uuid;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "source_output_id" uuid;--> statement-breakpoint
ALTER TABLE "composite_steps" ADD CONSTRAINT "composite_steps_task_id_composite_tasks_task_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."composite_tasks"("task_id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "composite_steps" ADD CONSTRAINT "composite_steps_child_task_id_generation_tasks_id_fk" FOREIGN KEY ("child_task_id") REFERENCES "public"."generation_tasks"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "composite_tasks" ADD CONSTRAINT "composite_tasks_task_id_generation_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."generation_tasks"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "composite_tasks" ADD CONSTRAINT "composite_tasks_revision_of_generation_tasks_id_fk" FOREIGN KEY ("revision_of") REFERENCES "public"."generation_tasks"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "composite_steps_seq_key" ON "composite_steps" USING btree ("task_id","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "composite_steps_key_key" ON "composite_steps" USING btree ("task_id","key");--> statement-breakpoint
CREATE INDEX "composite_steps_child_idx" ON "composite_steps" USING btree ("child_task_id") WHERE "composite_steps"."child_task_id" is not null;--> statement-breakpoint
CREATE INDEX "composite_tasks_root_idx" ON "composite_tasks" USING btree ("root_id","task_id");--> statement-breakpoint
ALTER TABLE "credit_holds" ADD CONSTRAINT "credit_holds_parent_task_id_generation_tasks_id_fk" FOREIGN KEY ("parent_task_id") REFERENCES "public"."generation_tasks"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD CONSTRAINT "generation_tasks_parent_id_generation_tasks_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."generation_tasks"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_source_output_id_outputs_id_fk" FOREIGN KEY ("source_output_id") REFERENCES "public"."outputs"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credit_holds_parent_idx" ON "credit_holds" USING btree ("parent_task_id") WHERE "credit_holds"."parent_task_id" is not null;--> statement-breakpoint
CREATE INDEX "generation_tasks_parent_idx" ON "generation_tasks" USING btree ("parent_id","id") WHERE "generation_tasks"."parent_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "uploads_source_output_key" ON "uploads" USING btree ("source_output_id") WHERE "uploads"."source_output_id" is not null;--> statement-breakpoint
ALTER TABLE "credit_holds" ADD CONSTRAINT "credit_holds_source" CHECK (("credit_holds"."source" = 'parent') = ("credit_holds"."parent_task_id" is not null));--> statement-breakpoint
ALTER TABLE "credit_holds" ADD CONSTRAINT "credit_holds_budget" CHECK (("credit_holds"."budget_free_credits" is null) = ("credit_holds"."budget_spent_credits" is null) and "credit_holds"."budget_free_credits" >= 0
        and "credit_holds"."budget_spent_credits" >= 0 and "credit_holds"."budget_free_credits" + "credit_holds"."budget_spent_credits" <= "credit_holds"."amount_credits");--> statement-breakpoint
ALTER TABLE "credit_holds" ADD CONSTRAINT "credit_holds_budget_ends" CHECK ("credit_holds"."budget_free_credits" is null or "credit_holds"."status" = 'held' or (
        "credit_holds"."budget_free_credits" + "credit_holds"."budget_spent_credits" = "credit_holds"."amount_credits" and (
          "credit_holds"."budget_spent_credits" = 0 or ("credit_holds"."status" = 'captured' and "credit_holds"."captured_credits" = "credit_holds"."budget_spent_credits"))));--> statement-breakpoint
ALTER TABLE "credit_holds" ADD CONSTRAINT "credit_holds_draw" CHECK ("credit_holds"."source" = 'balance' or ("credit_holds"."budget_free_credits" is null and "credit_holds"."spent_on" is null and "credit_holds"."status" <> 'refunding'));--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD CONSTRAINT "generation_tasks_child_is_leaf" CHECK ("generation_tasks"."parent_id" is null or "generation_tasks"."kind" not in ('agent', 'drama'));--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD CONSTRAINT "generation_tasks_composite_never_sent" CHECK ("generation_tasks"."kind" not in ('agent', 'drama') or "generation_tasks"."status" not in ('queued', 'dispatching', 'running', 'uncertain'));--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD CONSTRAINT "generation_tasks_composite_waits" CHECK ("generation_tasks"."status" <> 'waiting' or "generation_tasks"."kind" in ('agent', 'drama'));--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD CONSTRAINT "generation_tasks_kind_known" CHECK ("generation_tasks"."kind" in ('image', 'video', 'audio', 'text', 'agent', 'drama'));