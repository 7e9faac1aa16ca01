import { getFormProps } from '@conform-to/react';
import { Group, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import { FormErrors, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { moneyTexts } from '#app/locales/money.ts';
import { redeemInput } from '#server/billing/redeem/schemas.ts';

/** One code, one button; what is wrong with it stands beside it. `code`: from the link that was followed. */
export function RedeemForm({ code }: { code: string }) {
  const t = useT(moneyTexts);
  const [form, fields] = useZodForm('redeem', redeemInput, { defaultValue: { code } });
  return (
    <Form method="post" {...getFormProps(form)}>
      <Stack gap="md" maw={420}>
        <FormErrors form={form} />
        <TextField
          field={fields.code}
          label={t('redeem.code')}
          description={t('redeem.codeHelp')}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          size="md"
        />
        <Group>
          <SubmitButton>{t('redeem.do')}</SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}
