-- What a schema diff cannot express: triggers that hold the invariants, and storage parameters.

-- The ledger and the event log are append-only. Statement level, so TRUNCATE and updates of no row are refused too.
CREATE FUNCTION refuse_change_of_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % is refused. Insert a new row that corrects the old one.', TG_TABLE_NAME, TG_OP
    USING ERRCODE = 'restrict_violation';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER credit_ledger_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON credit_ledger
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only();
--> statement-breakpoint
CREATE TRIGGER generation_task_events_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON generation_task_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only();
--> statement-breakpoint

-- A terminal task never changes status. The WHEN clause keeps lease renewals free of function calls.
CREATE FUNCTION refuse_change_of_terminal_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'generation task % is % and stays so: the change to % is refused.', OLD.id, OLD.status, NEW.status
    USING ERRCODE = 'restrict_violation';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER generation_tasks_terminal_is_final
  BEFORE UPDATE ON generation_tasks
  FOR EACH ROW
  WHEN (OLD.status IN ('succeeded', 'failed', 'cancelled') AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION refuse_change_of_terminal_status();
--> statement-breakpoint

-- A known outcome is evidence and stays; a dispatch that was sent cannot become unsent, or it could be sent again.
CREATE FUNCTION refuse_rewrite_of_dispatch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.phase = 'sent' AND NEW.phase IS DISTINCT FROM OLD.phase THEN
    RAISE EXCEPTION 'dispatch % was sent: its phase cannot go back to %.', OLD.id, NEW.phase
      USING ERRCODE = 'restrict_violation';
  END IF;
  RAISE EXCEPTION 'dispatch % has the outcome % and keeps it: the change to % is refused.',
    OLD.id, OLD.outcome, coalesce(NEW.outcome, 'null')
    USING ERRCODE = 'restrict_violation';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER dispatches_keep_evidence
  BEFORE UPDATE ON dispatches
  FOR EACH ROW
  WHEN (
    (OLD.outcome IS NOT NULL AND NEW.outcome IS DISTINCT FROM OLD.outcome)
    OR (OLD.phase = 'sent' AND NEW.phase IS DISTINCT FROM OLD.phase)
  )
  EXECUTE FUNCTION refuse_rewrite_of_dispatch();
--> statement-breakpoint

-- Room on each page for heap-only updates: a lease renewal must not touch an index. Vacuum early and briskly, because
-- a table of ten million finished rows would otherwise wait for two million dead ones.
ALTER TABLE generation_tasks SET (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02,
  autovacuum_analyze_threshold = 500,
  autovacuum_vacuum_cost_limit = 2000,
  autovacuum_vacuum_cost_delay = 1
);
--> statement-breakpoint
ALTER TABLE dispatches SET (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02,
  autovacuum_vacuum_cost_limit = 2000,
  autovacuum_vacuum_cost_delay = 1
);
--> statement-breakpoint
ALTER TABLE credit_accounts SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
--> statement-breakpoint
ALTER TABLE rate_limits SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
