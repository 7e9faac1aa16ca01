import { getFormProps } from '@conform-to/react';
import { Group, SimpleGrid, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import type { ReactNode } from 'react';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { CopyField } from '#app/components/ui/copy-field.tsx';
import { FormErrors, SubmitButton, TextareaField, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import type { DispatchView } from '#server/generation/schemas.ts';
import type { Kind } from '#server/generation/status.ts';
import { failureForm, resultTextForm, resultUrlsForm, upstreamIdForm } from './resolve-form-schemas.ts';
import classes from './resolve-panel.module.css';

type ResolvePanelProps = {
  taskId: string;
  kind: Kind;
  /** When the policy fails and refunds the task by itself. */
  until: Date | null;
  /** The one in doubt: the last that was prepared. */
  dispatch: DispatchView | undefined;
};

/** An operator's evidence on an uncertain task: the job's id, its result, or that there is none. */
export function ResolvePanel({ taskId, kind, until, dispatch }: ResolvePanelProps) {
  return (
    <Panel
      title="Resolve it"
      id="resolve"
      description={
        <>
          Look at the provider’s own records first: nothing is ever sent again for this dispatch.
          {until ? (
            <>
              {' '}
              Without evidence it fails and is refunded on <TimeAgo at={until} style="both" />.
            </>
          ) : null}
        </>
      }
    >
      <Stack gap="xl">
        {dispatch ? (
          <div className={classes.reference}>
            <p className={classes.label}>Our reference, to look for</p>
            <CopyField label="Our reference" value={dispatch.id} />
          </div>
        ) : null}
        <SimpleGrid cols={{ base: 1, md: 3 }} spacing="xl" verticalSpacing="xl">
          <JobKnown taskId={taskId} dispatch={dispatch} />
          {kind === 'text' ? <TextForm taskId={taskId} /> : <UrlsForm taskId={taskId} />}
          <FailedForm taskId={taskId} />
        </SimpleGrid>
      </Stack>
    </Panel>
  );
}

/** One possible answer: what was found, and what follows from it. */
function Answer({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h3 className={classes.title}>{title}</h3>
      {children}
    </div>
  );
}

function Meaning({ children }: { children: ReactNode }) {
  return <p className={classes.meaning}>{children}</p>;
}

type Verdict = 'upstream_id' | 'result' | 'failed';

function Hidden({ intent, taskId, verdict }: { intent: string; taskId: string; verdict: Verdict }) {
  return (
    <>
      <input type="hidden" name="intent" value={intent} />
      <input type="hidden" name="taskId" value={taskId} />
      <input type="hidden" name="verdict" value={verdict} />
    </>
  );
}

function JobKnown({ taskId, dispatch }: Pick<ResolvePanelProps, 'taskId' | 'dispatch'>) {
  if (!dispatch?.upstreamId) return <UpstreamIdForm taskId={taskId} />;
  return (
    <Answer title="It has the job">
      <Meaning>Its id is known, and it is asked for again and again:</Meaning>
      <CopyField label="The provider’s job id" value={dispatch.upstreamId} />
    </Answer>
  );
}

function UpstreamIdForm({ taskId }: { taskId: string }) {
  const [form, fields] = useZodForm('resolve-upstream-id', upstreamIdForm);
  return (
    <Answer title="It has the job">
      <Meaning>The job is asked for by its id from then on, and ends as the provider says.</Meaning>
      <Form method="post" preventScrollReset {...getFormProps(form)} aria-label="The upstream has the job">
        <Hidden intent="resolve-upstream-id" taskId={taskId} verdict="upstream_id" />
        <Stack>
          <FormErrors form={form} />
          <TextField field={fields.upstreamId} label="The provider’s job id" autoComplete="off" />
          <TextareaField field={fields.reason} label="How do you know?" autosize minRows={2} />
          <Group>
            <SubmitButton name="button" value="resolve-upstream-id">
              Follow this job
            </SubmitButton>
          </Group>
        </Stack>
      </Form>
    </Answer>
  );
}

function UrlsForm({ taskId }: { taskId: string }) {
  const [form, fields] = useZodForm('resolve-urls', resultUrlsForm);
  return (
    <Answer title="You have the result">
      <Meaning>
        The files are fetched, checked and charged like any other result. Their addresses have to open without
        a sign-in. A file that is not what was ordered fails the task, with a full refund.
      </Meaning>
      <Form method="post" preventScrollReset {...getFormProps(form)} aria-label="The result is here">
        <Hidden intent="resolve-urls" taskId={taskId} verdict="result" />
        <Stack>
          <FormErrors form={form} />
          <TextareaField
            field={fields.urls}
            label="Addresses of the files, one per line"
            placeholder="https://…"
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            autoComplete="off"
          />
          <TextareaField field={fields.reason} label="How do you know?" autosize minRows={2} />
          <Group>
            <SubmitButton name="button" value="resolve-urls">
              Deliver these files
            </SubmitButton>
          </Group>
        </Stack>
      </Form>
    </Answer>
  );
}

function TextForm({ taskId }: { taskId: string }) {
  const [form, fields] = useZodForm('resolve-text', resultTextForm);
  return (
    <Answer title="You have the result">
      <Meaning>The text is stored and charged like any other result.</Meaning>
      <Form method="post" preventScrollReset {...getFormProps(form)} aria-label="The result is here">
        <Hidden intent="resolve-text" taskId={taskId} verdict="result" />
        <Stack>
          <FormErrors form={form} />
          <TextareaField
            field={fields.text}
            label="The text that the model wrote"
            autosize
            minRows={4}
            maxRows={12}
          />
          <TextareaField field={fields.reason} label="How do you know?" autosize minRows={2} />
          <Group>
            <SubmitButton name="button" value="resolve-text">
              Deliver this text
            </SubmitButton>
          </Group>
        </Stack>
      </Form>
    </Answer>
  );
}

function FailedForm({ taskId }: { taskId: string }) {
  const [form, fields] = useZodForm('resolve-failed', failureForm);
  return (
    <Answer title="There is no job">
      <Meaning>The task fails and the user gets all credits back. A late result is still theirs.</Meaning>
      <Form method="post" preventScrollReset {...getFormProps(form)} aria-label="The upstream has no job">
        <Hidden intent="resolve-failed" taskId={taskId} verdict="failed" />
        <Stack>
          <FormErrors form={form} />
          <TextareaField field={fields.reason} label="How do you know?" autosize minRows={2} />
          <Group>
            <ConfirmButton variant="default" confirmLabel="Fail and refund it">
              Fail and refund
            </ConfirmButton>
          </Group>
        </Stack>
      </Form>
    </Answer>
  );
}
