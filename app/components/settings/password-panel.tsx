import { getFormProps } from '@conform-to/react';
import { Group, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import { Notice } from '#app/components/ui/error-message.tsx';
import { FormErrors, PasswordField, SubmitButton } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { accountTexts } from '#app/locales/account.ts';
import { changePasswordInput } from '#server/auth/schemas.ts';
import { MIN_PASSWORD_CHARACTERS } from '#server/auth/shared.ts';

/** The password now and the one to come; `endedSessions` once it is changed. */
export function PasswordPanel({ endedSessions }: { endedSessions: number | null }) {
  const t = useT(accountTexts);
  return (
    <Panel title={t('password.panel')} id="new-password">
      <Stack gap="lg" maw={460}>
        {endedSessions === null ? null : (
          <div role="status">
            <Notice tone="good" title={t('password.changed')}>
              {endedSessions === 0
                ? t('password.noOthers')
                : t('password.endedOthers', { count: endedSessions })}
            </Notice>
          </div>
        )}
        <PasswordForm key={endedSessions === null ? 'open' : 'done'} />
      </Stack>
    </Panel>
  );
}

function PasswordForm() {
  const t = useT(accountTexts);
  const [form, fields] = useZodForm('change-password', changePasswordInput);
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)}>
      <Stack gap="md">
        <FormErrors form={form} />
        <PasswordField field={fields.password} label={t('password.old')} autoComplete="current-password" />
        <PasswordField
          field={fields.newPassword}
          label={t('password.new')}
          description={t('password.newHelp', { count: MIN_PASSWORD_CHARACTERS })}
          autoComplete="new-password"
        />
        <Group>
          <SubmitButton>{t('password.change')}</SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}
