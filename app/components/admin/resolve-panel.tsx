import { getFormProps } from '@conform-to/react';
import { Group, SimpleGrid, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { FormErrors, SubmitButton, TextareaField, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { resolveInput } from '#server/generation/schemas.ts';

const [upstreamId, failed] = resolveInput.options;
export const resolveUpstreamId = upstreamId;
export const resolveFailed = failed;

type ResolvePanelProps = {
  taskId: string;
  /** When the policy fails and refunds the task by itself. */
  until: Date | null;
};

/** An operator's evidence on an uncertain task: the upstream's job id, or that there is none. */
export function ResolvePanel({ taskId, until }: ResolvePanelProps) {
  return (
    <Panel
      title="Resolve it"
      description={
        <>
          Look at the upstream’s own records first: nothing is ever sent again for this dispatch.
          {until ? (
            <>
              {' '}
              Without evidence it fails and is refunded <TimeAgo at={until} />.
            </>
          ) : null}
        </>
      }
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <UpstreamIdForm taskId={taskId} />
        <FailedForm taskId={taskId} />
      </SimpleGrid>
    </Panel>
  );
}

function UpstreamIdForm({ taskId }: { taskId: string }) {
  const [form, fields] = useZodForm('resolve-upstream-id', resolveUpstreamId);
  return (
    <Form method="post" {...getFormProps(form)} aria-label="The upstream has the job">
      <input type="hidden" name="intent" value="resolve-upstream-id" />
      <input type="hidden" name="taskId" value={taskId} />
      <input type="hidden" name="verdict" value="upstream_id" />
      <Stack>
        <FormErrors form={form} />
        <TextField field={fields.upstreamId} label="The upstream has the job: its id" autoComplete="off" />
        <TextareaField field={fields.reason} label="How do you know?" autosize minRows={2} />
        <Group>
          <SubmitButton name="button" value="resolve-upstream-id">
            Follow this job
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}

function FailedForm({ taskId }: { taskId: string }) {
  const [form, fields] = useZodForm('resolve-failed', resolveFailed);
  return (
    <Form method="post" {...getFormProps(form)} aria-label="The upstream has no job">
      <input type="hidden" name="intent" value="resolve-failed" />
      <input type="hidden" name="taskId" value={taskId} />
      <input type="hidden" name="verdict" value="failed" />
      <Stack>
        <FormErrors form={form} />
        <TextareaField
          field={fields.reason}
          label="The upstream has no job: how do you know?"
          description="The task fails and the user gets all credits back."
          autosize
          minRows={2}
        />
        <Group>
          <ConfirmButton variant="default" confirmLabel="Fail and refund it">
            Fail and refund
          </ConfirmButton>
        </Group>
      </Stack>
    </Form>
  );
}
