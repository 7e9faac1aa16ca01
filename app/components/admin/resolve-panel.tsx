import { getFormProps } from '@conform-to/react';
import { Group, SimpleGrid, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import type { ReactNode } from 'react';
import { Trans } from 'react-i18next';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { CopyField } from '#app/components/ui/copy-field.tsx';
import { FormErrors, SubmitButton, TextareaField, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { attentionTexts } from '#app/locales/attention.ts';
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
  const t = useT(attentionTexts);
  return (
    <Panel
      title={t('resolve.title')}
      id="resolve"
      description={
        <>
          {t('resolve.lead')}{' '}
          {until ? (
            <Trans t={t} i18nKey="resolve.until" components={{ when: <TimeAgo at={until} style="both" /> }} />
          ) : null}
        </>
      }
    >
      <Stack gap="xl">
        {dispatch ? (
          <div className={classes.reference}>
            <p className={classes.label}>{t('resolve.toLookFor')}</p>
            <CopyField label={t('uncertain.reference')} value={dispatch.id} />
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
  const t = useT(attentionTexts);
  if (!dispatch?.upstreamId) return <UpstreamIdForm taskId={taskId} />;
  return (
    <Answer title={t('resolve.job.title')}>
      <Meaning>{t('resolve.job.known')}</Meaning>
      <CopyField label={t('uncertain.jobId')} value={dispatch.upstreamId} />
    </Answer>
  );
}

function UpstreamIdForm({ taskId }: { taskId: string }) {
  const t = useT(attentionTexts);
  const [form, fields] = useZodForm('resolve-upstream-id', upstreamIdForm);
  return (
    <Answer title={t('resolve.job.title')}>
      <Meaning>{t('resolve.job.meaning')}</Meaning>
      <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={t('resolve.job.form')}>
        <Hidden intent="resolve-upstream-id" taskId={taskId} verdict="upstream_id" />
        <Stack>
          <FormErrors form={form} />
          <TextField field={fields.upstreamId} label={t('uncertain.jobId')} autoComplete="off" />
          <TextareaField field={fields.reason} label={t('resolve.howKnown')} autosize minRows={2} />
          <Group>
            <SubmitButton name="button" value="resolve-upstream-id">
              {t('resolve.job.go')}
            </SubmitButton>
          </Group>
        </Stack>
      </Form>
    </Answer>
  );
}

function UrlsForm({ taskId }: { taskId: string }) {
  const t = useT(attentionTexts);
  const [form, fields] = useZodForm('resolve-urls', resultUrlsForm);
  return (
    <Answer title={t('resolve.result.title')}>
      <Meaning>{t('resolve.result.meaning')}</Meaning>
      <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={t('resolve.result.form')}>
        <Hidden intent="resolve-urls" taskId={taskId} verdict="result" />
        <Stack>
          <FormErrors form={form} />
          <TextareaField
            field={fields.urls}
            label={t('resolve.result.urls')}
            placeholder="https://…"
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            autoComplete="off"
          />
          <TextareaField field={fields.reason} label={t('resolve.howKnown')} autosize minRows={2} />
          <Group>
            <SubmitButton name="button" value="resolve-urls">
              {t('resolve.result.go')}
            </SubmitButton>
          </Group>
        </Stack>
      </Form>
    </Answer>
  );
}

function TextForm({ taskId }: { taskId: string }) {
  const t = useT(attentionTexts);
  const [form, fields] = useZodForm('resolve-text', resultTextForm);
  return (
    <Answer title={t('resolve.result.title')}>
      <Meaning>{t('resolve.text.meaning')}</Meaning>
      <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={t('resolve.result.form')}>
        <Hidden intent="resolve-text" taskId={taskId} verdict="result" />
        <Stack>
          <FormErrors form={form} />
          <TextareaField
            field={fields.text}
            label={t('resolve.text.text')}
            autosize
            minRows={4}
            maxRows={12}
          />
          <TextareaField field={fields.reason} label={t('resolve.howKnown')} autosize minRows={2} />
          <Group>
            <SubmitButton name="button" value="resolve-text">
              {t('resolve.text.go')}
            </SubmitButton>
          </Group>
        </Stack>
      </Form>
    </Answer>
  );
}

function FailedForm({ taskId }: { taskId: string }) {
  const t = useT(attentionTexts);
  const [form, fields] = useZodForm('resolve-failed', failureForm);
  return (
    <Answer title={t('resolve.failed.title')}>
      <Meaning>{t('resolve.failed.meaning')}</Meaning>
      <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={t('resolve.failed.form')}>
        <Hidden intent="resolve-failed" taskId={taskId} verdict="failed" />
        <Stack>
          <FormErrors form={form} />
          <TextareaField field={fields.reason} label={t('resolve.howKnown')} autosize minRows={2} />
          <Group>
            <ConfirmButton variant="default" confirmLabel={t('resolve.failed.sure')}>
              {t('resolve.failed.go')}
            </ConfirmButton>
          </Group>
        </Stack>
      </Form>
    </Answer>
  );
}
