import { getFormProps } from '@conform-to/react';
import { Group, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import { FormErrors, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { moneyTexts } from '#app/locales/money.ts';
import { inviteCodeInput } from '#server/invites/schemas.ts';

/** Enters the code of the person who invited me, which is possible once. */
export function BindForm() {
  const t = useT(moneyTexts);
  const [form, fields] = useZodForm('bind', inviteCodeInput);
  return (
    <Form method="post" {...getFormProps(form)}>
      <Stack gap="md" maw={420}>
        <FormErrors form={form} />
        <TextField
          field={fields.code}
          label={t('bind.code')}
          description={t('bind.codeHelp')}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
        />
        <Group>
          <SubmitButton>{t('bind.do')}</SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}
