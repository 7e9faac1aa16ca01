-- What a schema diff cannot express, for the tables of 0004: triggers, and buckets for the ledger entries that are there.

CREATE TRIGGER credit_bucket_moves_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON credit_bucket_moves
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only();
--> statement-breakpoint

-- Events stay append-only, but retention may delete them: it says so in its own transaction (set local). Nothing of the
-- kind exists for the ledger.
CREATE FUNCTION refuse_change_of_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('sidelane.retention', true) = 'on' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '% is append-only: % is refused. Insert a new row that corrects the old one.', TG_TABLE_NAME, TG_OP
    USING ERRCODE = 'restrict_violation';
END;
$$;
--> statement-breakpoint
DROP TRIGGER generation_task_events_append_only ON generation_task_events;
--> statement-breakpoint
CREATE TRIGGER generation_task_events_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON generation_task_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_events();
--> statement-breakpoint

-- A paid order was paid: no later event makes it pending, expired or cancelled again.
CREATE FUNCTION refuse_unpaying_of_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'order % was paid: the change to % is refused.', OLD.id, NEW.status
    USING ERRCODE = 'restrict_violation';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER orders_paid_stays_paid
  BEFORE UPDATE ON orders
  FOR EACH ROW
  WHEN (OLD.paid_at IS NOT NULL AND (NEW.paid_at IS NULL OR NEW.status IN ('pending', 'expired', 'cancelled')))
  EXECUTE FUNCTION refuse_unpaying_of_order();
--> statement-breakpoint

-- One bucket without expiry per account for all that came before buckets. Entries that an older release writes after
-- this are assigned by the user's next movement (credit_ledger.bucketed).
WITH entries AS MATERIALIZED (
  SELECT id, user_id, delta_credits FROM credit_ledger WHERE NOT bucketed
), made AS (
  INSERT INTO credit_buckets (id, user_id, kind, remaining_credits)
  SELECT gen_random_uuid(), user_id, 'granted', sum(delta_credits) FROM entries GROUP BY user_id
  RETURNING id, user_id
)
INSERT INTO credit_bucket_moves (entry_id, bucket_id, delta_credits)
SELECT entries.id, made.id, entries.delta_credits FROM entries JOIN made USING (user_id);
