import { getFormProps } from '@conform-to/react';
import { Group, Stack, Text } from '@mantine/core';
import { Form } from '@remix-run/react';
import { z } from 'zod';
import { FormErrors, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { accountTexts } from '#app/locales/account.ts';
import { outputRetentionInput } from '#server/retention/schemas.ts';

/** As the form sends it: an empty field is no limit. */
export const retentionForm = z.object({ days: outputRetentionInput.shape.days.optional() });

/** For how long files are kept. */
export function KeepingPanel({ days }: { days: number | null }) {
  const t = useT(accountTexts);
  return (
    <Panel title={t('data.keepPanel')} id="keeping" description={t('data.keepHelp')}>
      <RetentionForm key={days ?? 'kept'} days={days} />
    </Panel>
  );
}

function RetentionForm({ days }: { days: number | null }) {
  const t = useT(accountTexts);
  const [form, fields] = useZodForm('set-retention', retentionForm, {
    defaultValue: { days: days === null ? '' : String(days) } as never,
  });
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)}>
      <input type="hidden" name="intent" value="set-retention" />
      <Stack gap="md">
        <FormErrors form={form} />
        <TextField
          field={fields.days}
          type="number"
          label={t('data.days')}
          description={t('data.daysHelp')}
          inputMode="numeric"
          autoComplete="off"
          maw={420}
        />
        <Group>
          <SubmitButton name="button" value="set-retention" variant="default">
            {t('data.save')}
          </SubmitButton>
          <Text size="sm" c="dimmed">
            {days === null ? t('data.kept') : t('data.removedAfter', { count: days })}
          </Text>
        </Group>
      </Stack>
    </Form>
  );
}
