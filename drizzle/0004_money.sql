CREATE TABLE "cost_guard" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"task_credits" bigint,
	"user_day_credits" bigint,
	"day_credits" bigint,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "cost_guard_one_row" CHECK ("cost_guard"."id" = 1),
	CONSTRAINT "cost_guard_range" CHECK ("cost_guard"."task_credits" >= 0 and "cost_guard"."user_day_credits" >= 0 and "cost_guard"."day_credits" >= 0)
);
--> statement-breakpoint
CREATE TABLE "credit_bucket_moves" (
	"entry_id" uuid NOT NULL,
	"bucket_id" uuid NOT NULL,
	"delta_credits" bigint NOT NULL,
	CONSTRAINT "credit_bucket_moves_entry_id_bucket_id_pk" PRIMARY KEY("entry_id","bucket_id"),
	CONSTRAINT "credit_bucket_moves_moves" CHECK ("credit_bucket_moves"."delta_credits" <> 0)
);
--> statement-breakpoint
CREATE TABLE "credit_buckets" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"remaining_credits" bigint NOT NULL,
	"expires_at" timestamp with time zone,
	"expired_at" timestamp with time zone,
	"order_id" uuid,
	"restored_from" uuid,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "credit_buckets_remaining" CHECK ("credit_buckets"."remaining_credits" >= 0),
	CONSTRAINT "credit_buckets_kind_known" CHECK ("credit_buckets"."kind" in ('granted', 'purchased', 'promotional')),
	CONSTRAINT "credit_buckets_expired_is_empty" CHECK ("credit_buckets"."expired_at" is null or "credit_buckets"."remaining_credits" = 0)
);
--> statement-breakpoint
CREATE TABLE "credit_day_spending" (
	"user_id" uuid NOT NULL,
	"day" date NOT NULL,
	"spent_credits" bigint NOT NULL,
	CONSTRAINT "credit_day_spending_user_id_day_pk" PRIMARY KEY("user_id","day"),
	CONSTRAINT "credit_day_spending_range" CHECK ("credit_day_spending"."spent_credits" >= 0)
);
--> statement-breakpoint
CREATE TABLE "credit_debts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"key" text NOT NULL,
	"amount_credits" bigint NOT NULL,
	"remaining_credits" bigint NOT NULL,
	"order_id" uuid,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "credit_debts_amounts" CHECK ("credit_debts"."amount_credits" > 0 and "credit_debts"."remaining_credits" between 0 and "credit_debts"."amount_credits"),
	CONSTRAINT "credit_debts_settled_at" CHECK (("credit_debts"."remaining_credits" = 0) = ("credit_debts"."settled_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "invite_codes" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"code" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invites" (
	"id" uuid PRIMARY KEY NOT NULL,
	"inviter_id" uuid NOT NULL,
	"invitee_id" uuid NOT NULL,
	"status" text DEFAULT 'bound' NOT NULL,
	"order_id" uuid,
	"qualified_at" timestamp with time zone,
	"due_at" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"lease_until" timestamp with time zone,
	"lease_token" bigint DEFAULT 0 NOT NULL,
	"leased_by" uuid,
	"inviter_credits" bigint DEFAULT 0 NOT NULL,
	"invitee_credits" bigint DEFAULT 0 NOT NULL,
	"rewarded_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"note" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "invites_not_self" CHECK ("invites"."inviter_id" <> "invites"."invitee_id"),
	CONSTRAINT "invites_status_known" CHECK ("invites"."status" in ('bound', 'qualified', 'rewarded', 'refused', 'clawed_back')),
	CONSTRAINT "invites_due" CHECK (("invites"."status" = 'qualified') = ("invites"."due_at" is not null)),
	CONSTRAINT "invites_credits" CHECK ("invites"."inviter_credits" >= 0 and "invites"."invitee_credits" >= 0),
	CONSTRAINT "invites_rewarded" CHECK (("invites"."status" in ('rewarded', 'clawed_back')) = ("invites"."rewarded_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "credit_packs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"title" text NOT NULL,
	"credits" bigint NOT NULL,
	"amount_minor" bigint NOT NULL,
	"currency" text NOT NULL,
	"valid_days" integer,
	"enabled" boolean DEFAULT true NOT NULL,
	"position" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credit_packs_credits" CHECK ("credit_packs"."credits" between 1 and 1000000000),
	CONSTRAINT "credit_packs_amount" CHECK ("credit_packs"."amount_minor" between 1 and 100000000000),
	CONSTRAINT "credit_packs_currency" CHECK ("credit_packs"."currency" ~ '^[A-Z]{3}$'),
	CONSTRAINT "credit_packs_valid_days" CHECK ("credit_packs"."valid_days" between 1 and 3650)
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"pack_id" uuid,
	"title" text NOT NULL,
	"credits" bigint NOT NULL,
	"amount_minor" bigint NOT NULL,
	"currency" text NOT NULL,
	"valid_days" integer,
	"status" text DEFAULT 'pending' NOT NULL,
	"request_key" text NOT NULL,
	"provider" text NOT NULL,
	"checkout_id" text,
	"checkout_url" text,
	"payment_id" text,
	"expires_at" timestamp with time zone NOT NULL,
	"paid_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"cancelled_by" text,
	"refunded_minor" bigint DEFAULT 0 NOT NULL,
	"clawed_back_credits" bigint DEFAULT 0 NOT NULL,
	"dispute" text,
	"invites_due" boolean DEFAULT false NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "orders_status_known" CHECK ("orders"."status" in ('pending', 'paid', 'expired', 'cancelled', 'refunding', 'refunded')),
	CONSTRAINT "orders_amounts" CHECK ("orders"."credits" > 0 and "orders"."amount_minor" > 0),
	CONSTRAINT "orders_refunded_range" CHECK ("orders"."refunded_minor" between 0 and "orders"."amount_minor"),
	CONSTRAINT "orders_clawed_back_range" CHECK ("orders"."clawed_back_credits" between 0 and "orders"."credits"),
	CONSTRAINT "orders_paid_has_payment" CHECK (("orders"."paid_at" is null) = ("orders"."payment_id" is null)),
	CONSTRAINT "orders_paid_at" CHECK ("orders"."status" <> 'paid' or "orders"."paid_at" is not null),
	CONSTRAINT "orders_ended_at" CHECK (("orders"."status" in ('expired', 'cancelled', 'refunded')) = ("orders"."ended_at" is not null)),
	CONSTRAINT "orders_cancelled_by" CHECK ("orders"."status" <> 'cancelled' or "orders"."cancelled_by" is not null)
);
--> statement-breakpoint
CREATE TABLE "payment_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"order_id" uuid,
	"payment_id" text,
	"amount_minor" bigint,
	"currency" text,
	"facts" jsonb,
	"outcome" text NOT NULL,
	"note" text,
	"resolved_at" timestamp with time zone,
	"resolved_by" uuid,
	"resolution" text,
	"received_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "payment_events_outcome_known" CHECK ("payment_events"."outcome" in ('applied', 'repeated', 'ignored', 'mismatch'))
);
--> statement-breakpoint
CREATE TABLE "payment_refunds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"order_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"payment_id" text NOT NULL,
	"amount_minor" bigint NOT NULL,
	"currency" text NOT NULL,
	"origin" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"clawed_back_credits" bigint DEFAULT 0 NOT NULL,
	"reason" text NOT NULL,
	"actor" text NOT NULL,
	"provider_refund_id" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"last_error" text,
	"lease_until" timestamp with time zone,
	"lease_token" bigint DEFAULT 0 NOT NULL,
	"leased_by" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp with time zone,
	"resolved_by" uuid,
	"resolution" text,
	CONSTRAINT "payment_refunds_amount" CHECK ("payment_refunds"."amount_minor" > 0),
	CONSTRAINT "payment_refunds_status_known" CHECK ("payment_refunds"."status" in ('pending', 'settled', 'manual', 'given_up')),
	CONSTRAINT "payment_refunds_settled_at" CHECK (("payment_refunds"."status" = 'settled') = ("payment_refunds"."settled_at" is not null)),
	CONSTRAINT "payment_refunds_due" CHECK (("payment_refunds"."status" = 'pending') = ("payment_refunds"."next_attempt_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "redeem_batches" (
	"id" uuid PRIMARY KEY NOT NULL,
	"title" text NOT NULL,
	"credits" bigint NOT NULL,
	"code_count" integer NOT NULL,
	"expires_at" timestamp with time zone,
	"valid_days" integer,
	"once_per_user" boolean DEFAULT false NOT NULL,
	"created_by" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "redeem_batches_credits" CHECK ("redeem_batches"."credits" between 1 and 1000000000),
	CONSTRAINT "redeem_batches_count" CHECK ("redeem_batches"."code_count" between 1 and 10000),
	CONSTRAINT "redeem_batches_valid_days" CHECK ("redeem_batches"."valid_days" between 1 and 3650)
);
--> statement-breakpoint
CREATE TABLE "redeem_codes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"batch_id" uuid NOT NULL,
	"code" text NOT NULL,
	"redeemed_by" uuid,
	"redeemed_at" timestamp with time zone,
	"once_for" uuid,
	CONSTRAINT "redeem_codes_redeemed" CHECK (("redeem_codes"."redeemed_at" is null) = ("redeem_codes"."redeemed_by" is null))
);
--> statement-breakpoint
ALTER TABLE "credit_ledger" DROP CONSTRAINT "credit_ledger_kind_known";--> statement-breakpoint
ALTER TABLE "credit_refunds" DROP CONSTRAINT "credit_refunds_status_known";--> statement-breakpoint
ALTER TABLE "credit_holds" ADD COLUMN "spent_on" date;--> statement-breakpoint
ALTER TABLE "credit_ledger" ADD COLUMN "order_id" uuid;--> statement-breakpoint
ALTER TABLE "credit_ledger" ADD COLUMN "bucketed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "credit_refunds" ADD COLUMN "resolved_by" uuid;--> statement-breakpoint
ALTER TABLE "credit_refunds" ADD COLUMN "resolution" text;--> statement-breakpoint
ALTER TABLE "outputs" ADD COLUMN "removed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "deleted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "output_retention_days" integer;--> statement-breakpoint
ALTER TABLE "credit_bucket_moves" ADD CONSTRAINT "credit_bucket_moves_entry_id_credit_ledger_id_fk" FOREIGN KEY ("entry_id") REFERENCES "public"."credit_ledger"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_bucket_moves" ADD CONSTRAINT "credit_bucket_moves_bucket_id_credit_buckets_id_fk" FOREIGN KEY ("bucket_id") REFERENCES "public"."credit_buckets"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_buckets" ADD CONSTRAINT "credit_buckets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_buckets" ADD CONSTRAINT "credit_buckets_restored_from_credit_buckets_id_fk" FOREIGN KEY ("restored_from") REFERENCES "public"."credit_buckets"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_day_spending" ADD CONSTRAINT "credit_day_spending_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_debts" ADD CONSTRAINT "credit_debts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invite_codes" ADD CONSTRAINT "invite_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invites" ADD CONSTRAINT "invites_inviter_id_users_id_fk" FOREIGN KEY ("inviter_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invites" ADD CONSTRAINT "invites_invitee_id_users_id_fk" FOREIGN KEY ("invitee_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invites" ADD CONSTRAINT "invites_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_pack_id_credit_packs_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."credit_packs"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_events" ADD CONSTRAINT "payment_events_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_events" ADD CONSTRAINT "payment_events_resolved_by_users_id_fk" FOREIGN KEY ("resolved_by") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_refunds" ADD CONSTRAINT "payment_refunds_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_refunds" ADD CONSTRAINT "payment_refunds_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_refunds" ADD CONSTRAINT "payment_refunds_resolved_by_users_id_fk" FOREIGN KEY ("resolved_by") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redeem_batches" ADD CONSTRAINT "redeem_batches_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redeem_codes" ADD CONSTRAINT "redeem_codes_batch_id_redeem_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."redeem_batches"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redeem_codes" ADD CONSTRAINT "redeem_codes_redeemed_by_users_id_fk" FOREIGN KEY ("redeemed_by") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credit_bucket_moves_bucket_idx" ON "credit_bucket_moves" USING btree ("bucket_id");--> statement-breakpoint
CREATE INDEX "credit_buckets_live_idx" ON "credit_buckets" USING btree ("user_id","expires_at","id") WHERE "credit_buckets"."remaining_credits" > 0;--> statement-breakpoint
CREATE INDEX "credit_buckets_expiry_idx" ON "credit_buckets" USING btree ("expires_at","id") WHERE "credit_buckets"."remaining_credits" > 0 and "credit_buckets"."expires_at" is not null;--> statement-breakpoint
CREATE INDEX "credit_buckets_user_idx" ON "credit_buckets" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "credit_day_spending_day_idx" ON "credit_day_spending" USING btree ("day");--> statement-breakpoint
CREATE UNIQUE INDEX "credit_debts_key_key" ON "credit_debts" USING btree ("key");--> statement-breakpoint
CREATE INDEX "credit_debts_open_idx" ON "credit_debts" USING btree ("user_id","id") WHERE "credit_debts"."remaining_credits" > 0;--> statement-breakpoint
CREATE UNIQUE INDEX "invite_codes_code_key" ON "invite_codes" USING btree ("code");--> statement-breakpoint
CREATE UNIQUE INDEX "invites_invitee_key" ON "invites" USING btree ("invitee_id");--> statement-breakpoint
CREATE UNIQUE INDEX "invites_order_key" ON "invites" USING btree ("order_id") WHERE "invites"."order_id" is not null;--> statement-breakpoint
CREATE INDEX "invites_inviter_idx" ON "invites" USING btree ("inviter_id","id");--> statement-breakpoint
CREATE INDEX "invites_due_idx" ON "invites" USING btree ("due_at","id") WHERE "invites"."status" = 'qualified';--> statement-breakpoint
CREATE UNIQUE INDEX "orders_request_key_key" ON "orders" USING btree ("user_id","request_key");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_checkout_key" ON "orders" USING btree ("provider","checkout_id") WHERE "orders"."checkout_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "orders_payment_key" ON "orders" USING btree ("provider","payment_id") WHERE "orders"."payment_id" is not null;--> statement-breakpoint
CREATE INDEX "orders_user_idx" ON "orders" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "orders_status_idx" ON "orders" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "orders_expiry_idx" ON "orders" USING btree ("expires_at","id") WHERE "orders"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "orders_invites_due_idx" ON "orders" USING btree ("id") WHERE "orders"."invites_due";--> statement-breakpoint
CREATE INDEX "orders_paid_idx" ON "orders" USING btree ("paid_at") WHERE "orders"."paid_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "payment_events_event_key" ON "payment_events" USING btree ("provider","event_id");--> statement-breakpoint
CREATE INDEX "payment_events_order_idx" ON "payment_events" USING btree ("order_id","id");--> statement-breakpoint
CREATE INDEX "payment_events_payment_idx" ON "payment_events" USING btree ("provider","payment_id");--> statement-breakpoint
CREATE INDEX "payment_events_open_idx" ON "payment_events" USING btree ("id") WHERE "payment_events"."outcome" = 'mismatch' and "payment_events"."resolved_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "payment_refunds_key_key" ON "payment_refunds" USING btree ("key");--> statement-breakpoint
CREATE UNIQUE INDEX "payment_refunds_provider_key" ON "payment_refunds" USING btree ("provider","provider_refund_id") WHERE "payment_refunds"."provider_refund_id" is not null;--> statement-breakpoint
CREATE INDEX "payment_refunds_due_idx" ON "payment_refunds" USING btree ("next_attempt_at","id") WHERE "payment_refunds"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "payment_refunds_order_idx" ON "payment_refunds" USING btree ("order_id","id");--> statement-breakpoint
CREATE INDEX "payment_refunds_status_idx" ON "payment_refunds" USING btree ("status","id");--> statement-breakpoint
CREATE UNIQUE INDEX "redeem_codes_code_key" ON "redeem_codes" USING btree ("code");--> statement-breakpoint
CREATE UNIQUE INDEX "redeem_codes_once_key" ON "redeem_codes" USING btree ("batch_id","once_for") WHERE "redeem_codes"."once_for" is not null;--> statement-breakpoint
CREATE INDEX "redeem_codes_batch_idx" ON "redeem_codes" USING btree ("batch_id","id");--> statement-breakpoint
ALTER TABLE "credit_refunds" ADD CONSTRAINT "credit_refunds_resolved_by_users_id_fk" FOREIGN KEY ("resolved_by") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credit_ledger_order_idx" ON "credit_ledger" USING btree ("order_id") WHERE "credit_ledger"."order_id" is not null;--> statement-breakpoint
CREATE INDEX "credit_ledger_unbucketed_idx" ON "credit_ledger" USING btree ("user_id","id") WHERE not "credit_ledger"."bucketed";--> statement-breakpoint
CREATE INDEX "credit_ledger_day_idx" ON "credit_ledger" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "credit_refunds_status_idx" ON "credit_refunds" USING btree ("status","id");--> statement-breakpoint
ALTER TABLE "credit_ledger" ADD CONSTRAINT "credit_ledger_kind_known" CHECK ("credit_ledger"."kind" in ('grant', 'purchase', 'redeem', 'reward', 'hold', 'return', 'refund', 'adjustment', 'expire', 'clawback', 'reinstate', 'debt_payment'));--> statement-breakpoint
ALTER TABLE "credit_refunds" ADD CONSTRAINT "credit_refunds_voided" CHECK ("credit_refunds"."status" <> 'voided' or "credit_refunds"."resolution" is not null);--> statement-breakpoint
ALTER TABLE "credit_refunds" ADD CONSTRAINT "credit_refunds_status_known" CHECK ("credit_refunds"."status" in ('pending', 'settled', 'manual', 'voided'));--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_output_retention" CHECK ("users"."output_retention_days" between 1 and 3650);--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_deleted_is_disabled" CHECK ("users"."deleted_at" is null or "users"."disabled_at" is not null);