import { SimpleGrid } from '@mantine/core';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { TextareaField, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import { DeedForm } from './deed-form.tsx';
import { adjustForm } from './money-form-schemas.ts';
import { RadioField } from './radio-field.tsx';
import { useActionKey } from './use-action-key.ts';

type AdjustPanelProps = {
  userId: string;
  /** For the next adjustment, from the server. */
  formKey: string;
};

/** Credits given or taken by hand, with a reason that stays in the ledger and the audit log. */
export function AdjustPanel({ userId, formKey }: AdjustPanelProps) {
  const t = useT(adminMoneyTexts);
  const key = useActionKey(formKey);
  return (
    <Panel title={t('adjust.title')} id="adjusting" description={t('adjust.help')}>
      {/* A used key empties the form. */}
      <AdjustForm key={key} userId={userId} formKey={key} />
    </Panel>
  );
}

function AdjustForm({ userId, formKey }: AdjustPanelProps) {
  const t = useT(adminMoneyTexts);
  const [form, fields] = useZodForm('adjust', adjustForm, { defaultValue: { direction: 'give' } });
  return (
    <DeedForm
      form={form}
      fields={['direction', 'credits', 'validDays', 'reason']}
      intent="adjust"
      values={{ userId, key: formKey }}
      label={t('adjust.title')}
      preventScrollReset
      buttons={<ConfirmButton confirmLabel={t('adjust.now')}>{t('adjust.title')}</ConfirmButton>}
    >
      <RadioField
        field={fields.direction}
        label={t('adjust.what')}
        options={[
          { value: 'give', label: t('adjust.give') },
          { value: 'take', label: t('adjust.take') },
        ]}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextField
          field={fields.credits}
          type="number"
          label={t('adjust.credits')}
          description={t('wholeNumber')}
          autoComplete="off"
        />
        <TextField
          field={fields.validDays}
          type="number"
          label={t('adjust.days')}
          description={t('adjust.daysHelp')}
          autoComplete="off"
        />
      </SimpleGrid>
      <TextareaField
        field={fields.reason}
        label={t('why')}
        description={t('adjust.whyHelp')}
        autosize
        minRows={1}
      />
    </DeedForm>
  );
}
