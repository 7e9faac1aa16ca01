-- What a schema diff cannot express, for the tables of 0007.

-- What a child drew is closed together with its composite's budget, or not at all: a release that knows no budgets closes
-- the draw alone, and its composite could never be settled. Looked at when the transaction commits.
CREATE FUNCTION refuse_draw_beside_budget() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM credit_holds budget
    WHERE budget.task_id = NEW.parent_task_id AND budget.status = 'held'
      AND budget.amount_credits <> budget.budget_free_credits + budget.budget_spent_credits + (
        SELECT coalesce(sum(draw.amount_credits), 0) FROM credit_holds draw
        WHERE draw.parent_task_id = budget.task_id AND draw.status = 'held')
  ) THEN
    RAISE EXCEPTION 'The draw of task % was changed without the budget of task %.', NEW.task_id, NEW.parent_task_id
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER credit_holds_draw_with_budget
  AFTER INSERT OR UPDATE OF status ON credit_holds DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.source = 'parent') EXECUTE FUNCTION refuse_draw_beside_budget();
