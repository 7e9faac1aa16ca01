import { SimpleGrid } from '@mantine/core';
import { CheckboxField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import { batchForm } from './batch-form-schema.ts';
import { DeedForm } from './deed-form.tsx';
import { useActionKey } from './use-action-key.ts';

const FIELDS = ['title', 'credits', 'codeCount', 'lastDay', 'validDays', 'oncePerUser'];

/** Makes codes. `formKey` is from the server; the form sent twice makes one batch. */
export function BatchPanel({ formKey }: { formKey: string }) {
  const t = useT(adminMoneyTexts);
  const key = useActionKey(formKey);
  const [form, fields] = useZodForm('create-batch', batchForm, { defaultValue: { oncePerUser: true } });
  return (
    <Panel title={t('codes.make')} id="make" description={t('codes.makeHelp')}>
      <DeedForm
        form={form}
        fields={FIELDS}
        intent="create-batch"
        values={{ key }}
        label={t('codes.make')}
        buttons={
          <SubmitButton name="button" value="create-batch">
            {t('codes.makeThem')}
          </SubmitButton>
        }
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextField
            field={fields.title}
            label={t('codes.name')}
            description={t('codes.nameHelp')}
            autoComplete="off"
          />
          <TextField
            field={fields.codeCount}
            type="number"
            label={t('codes.howMany')}
            description={t('codes.howManyHelp')}
            autoComplete="off"
          />
          <TextField
            field={fields.credits}
            type="number"
            label={t('codes.perCode')}
            description={t('wholeNumber')}
            autoComplete="off"
          />
          <TextField
            field={fields.validDays}
            type="number"
            label={t('codes.days')}
            description={t('codes.daysHelp')}
            autoComplete="off"
          />
          <TextField
            field={fields.lastDay}
            type="date"
            label={t('codes.lastDay')}
            description={t('codes.lastDayHelp')}
          />
        </SimpleGrid>
        <CheckboxField field={fields.oncePerUser} label={t('codes.once')} />
      </DeedForm>
    </Panel>
  );
}
