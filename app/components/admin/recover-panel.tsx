import { getFormProps } from '@conform-to/react';
import { Group, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import { Trans } from 'react-i18next';
import { FormErrors, SubmitButton, TextareaField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { attentionTexts } from '#app/locales/attention.ts';
import { type AdminTaskDetailView, type DispatchView, recoverInput } from '#server/generation/schemas.ts';

type RecoverPanelProps = {
  task: Pick<AdminTaskDetailView, 'id' | 'status' | 'outputs' | 'failure' | 'dispatches'>;
};

/** For a failed task whose upstream job may still hold a result: look for it again. Nothing for any other. */
export function RecoverPanel({ task }: RecoverPanelProps) {
  const t = useT(attentionTexts);
  const candidate = task.dispatches.findLast(mayHoldResult);
  if (task.status !== 'failed' || task.outputs.length > 0 || !candidate) return null;
  return (
    <Panel
      id="look-again"
      title={t('recover.title')}
      description={`${t(isTold(task.failure?.code) ? 'recover.told' : 'recover.perhaps')} ${t('recover.after')}`}
    >
      <RecoverForm taskId={task.id} watched={candidate} />
    </Panel>
  );
}

/** Codes of failures that upstream itself has told us. */
const TOLD = ['upstream_failed', 'moderated', 'rejected'];

const isTold = (code: string | undefined) => code !== undefined && TOLD.includes(code);

/** The procedure's own rule: sent, and not refused. */
function mayHoldResult({ phase, outcome }: DispatchView): boolean {
  return phase === 'sent' && (outcome === null || outcome === 'accepted' || outcome === 'done');
}

function RecoverForm({ taskId, watched }: { taskId: string; watched: DispatchView }) {
  const t = useT(attentionTexts);
  const [form, fields] = useZodForm('recover', recoverInput);
  const { nextWatchAt, watchUntil } = watched;
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={t('recover.title')}>
      <input type="hidden" name="intent" value="recover" />
      <input type="hidden" name="taskId" value={taskId} />
      <Stack maw={640}>
        <FormErrors form={form} />
        {nextWatchAt && watchUntil ? (
          <p>
            <Trans
              t={t}
              i18nKey="recover.watched"
              components={{ when: <TimeAgo at={watchUntil} style="both" /> }}
            />
          </p>
        ) : null}
        <TextareaField field={fields.reason} label={t('recover.why')} autosize minRows={2} />
        <Group>
          <SubmitButton variant="default" name="button" value="recover">
            {t('recover.go')}
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}
