import { getFormProps } from '@conform-to/react';
import { Group, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import { z } from 'zod';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { TextareaField } from '#app/components/ui/form-field.tsx';
import { deedName } from '#app/lib/deed.ts';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import { moneyReason } from '#server/billing/schemas.ts';
import { FormProblems } from './form-problems.tsx';

const reasonForm = z.object({ reason: moneyReason });

type ReasonFormProps = {
  intent: string;
  /** What it is about; tells the forms of a list apart. */
  id: string;
  /** Sent beside the reason. */
  values: Record<string, string>;
  /** Accessible name: what is done to what. */
  label: string;
  question?: string;
  /** Words of the button, and of the one that asks again. */
  button: string;
  confirm: string;
};

/** A deed that wants a reason and a second press. The rest of it is hidden values, checked by the action. */
export function ReasonForm({ intent, id, values, label, question, button, confirm }: ReasonFormProps) {
  const t = useT(adminMoneyTexts);
  const [form, fields] = useZodForm(deedName(intent, id), reasonForm);
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={label}>
      <input type="hidden" name="intent" value={intent} />
      {Object.entries(values).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Stack gap="sm" maw={760}>
        <FormProblems form={form} fields={['reason']} />
        <TextareaField
          field={fields.reason}
          label={question ?? t('why')}
          description={t('kept')}
          autosize
          minRows={1}
        />
        <Group>
          <ConfirmButton variant="default" confirmLabel={confirm}>
            {button}
          </ConfirmButton>
        </Group>
      </Stack>
    </Form>
  );
}
