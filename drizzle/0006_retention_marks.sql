ALTER TABLE "users" ADD COLUMN "erased_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "uploads_unused_idx" ON "uploads" USING btree ("created_at") WHERE "uploads"."used_at" is null;--> statement-breakpoint
CREATE INDEX "users_to_erase_idx" ON "users" USING btree ("id") WHERE "users"."deleted_at" is not null and "users"."erased_at" is null;--> statement-breakpoint
CREATE INDEX "users_output_retention_idx" ON "users" USING btree ("id") WHERE "users"."output_retention_days" is not null;--> statement-breakpoint
CREATE INDEX "webhook_inbox_dispatch_idx" ON "webhook_inbox" USING btree ("dispatch_id") WHERE "webhook_inbox"."dispatch_id" is not null;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_erased_is_deleted" CHECK ("users"."erased_at" is null or "users"."deleted_at" is not null);