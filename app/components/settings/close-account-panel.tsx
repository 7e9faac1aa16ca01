import { getFormProps } from '@conform-to/react';
import { Group, List, Stack, Text } from '@mantine/core';
import { Form } from '@remix-run/react';
import type { TFunction } from 'i18next';
import { Trans } from 'react-i18next';
import { FormErrors, PasswordField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { type Format, useFormat } from '#app/lib/use-format.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { accountTexts } from '#app/locales/account.ts';
import { type AccountKeeping, closeAccountInput } from '#server/retention/schemas.ts';

/** The end of an account: what it means now, and a form that nobody fills in by accident. */
export function CloseAccountPanel({ before }: { before: AccountKeeping['beforeClosing'] }) {
  const t = useT(accountTexts);
  const format = useFormat();
  return (
    <Panel title={t('close.panel')} id="close" description={t('close.help')}>
      <Stack gap="lg">
        <List size="sm" spacing={6}>
          {consequences(before, { t, format }).map((sentence) => (
            <List.Item key={sentence}>{sentence}</List.Item>
          ))}
        </List>
        <CloseForm />
      </Stack>
    </Panel>
  );
}

type Words = { t: TFunction<'account'>; format: Format };

function consequences(before: AccountKeeping['beforeClosing'], { t, format }: Words): string[] {
  const { runningTasks, balanceCredits, owedCredits } = before;
  return [
    t('close.access'),
    balanceCredits > 0
      ? t('close.credits', { credits: format.credits(balanceCredits) })
      : t('close.noCredits'),
    ...(owedCredits > 0 ? [t('close.debts', { credits: format.credits(owedCredits) })] : []),
    runningTasks > 0 ? t('close.tasks', { count: runningTasks }) : t('close.noTasks'),
    t('close.orders'),
    t('close.content'),
  ];
}

function CloseForm() {
  const t = useT(accountTexts);
  const [form, fields] = useZodForm('close-account', closeAccountInput);
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)}>
      <input type="hidden" name="intent" value="close-account" />
      <Stack gap="md" maw={420}>
        <FormErrors form={form} />
        <PasswordField field={fields.password} label={t('close.password')} autoComplete="current-password" />
        <TextField
          field={fields.confirm}
          label={<Trans t={t} i18nKey="close.type" components={{ phrase: <Text span ff="monospace" /> }} />}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <Group>
          <SubmitButton name="button" value="close-account" color="red.9">
            {t('close.do')}
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}
