import { getFormProps } from '@conform-to/react';
import { Group, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import { FormErrors, SubmitButton, TextareaField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { type AdminTaskDetailView, type DispatchView, recoverInput } from '#server/generation/schemas.ts';

type RecoverPanelProps = {
  task: Pick<AdminTaskDetailView, 'id' | 'status' | 'outputs' | 'failure' | 'dispatches'>;
};

/** For a failed task whose upstream job may still hold a result: look for it again. Nothing for any other. */
export function RecoverPanel({ task }: RecoverPanelProps) {
  const candidate = task.dispatches.findLast(mayHoldResult);
  if (task.status !== 'failed' || task.outputs.length > 0 || !candidate) return null;
  return (
    <Panel
      title="Look again for the result"
      description={`${whyLook(task.failure?.code)} What is found becomes the user’s; the refund stays, and nothing is sent again.`}
    >
      <RecoverForm taskId={task.id} watched={candidate} />
    </Panel>
  );
}

/** Codes of failures that upstream itself has told us. */
const TOLD = ['upstream_failed', 'moderated', 'rejected'];

function whyLook(code: string | undefined): string {
  return code !== undefined && TOLD.includes(code)
    ? 'The provider itself says that this failed: looking again helps only when you know better.'
    : 'The provider may have made it although the task failed.';
}

/** The procedure's own rule: sent, and not refused. */
function mayHoldResult({ phase, outcome }: DispatchView): boolean {
  return phase === 'sent' && (outcome === null || outcome === 'accepted' || outcome === 'done');
}

function RecoverForm({ taskId, watched }: { taskId: string; watched: DispatchView }) {
  const [form, fields] = useZodForm('recover', recoverInput);
  const { nextWatchAt, watchUntil } = watched;
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label="Look again for the result">
      <input type="hidden" name="intent" value="recover" />
      <input type="hidden" name="taskId" value={taskId} />
      <Stack maw={640}>
        <FormErrors form={form} />
        {nextWatchAt && watchUntil ? (
          <p>
            It is looked for already, until <TimeAgo at={watchUntil} style="both" />. Looking again does it at
            once, and for at least a day from now.
          </p>
        ) : null}
        <TextareaField field={fields.reason} label="Why look again?" autosize minRows={2} />
        <Group>
          <SubmitButton variant="default" name="button" value="recover">
            Look again
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}
