import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { SelectField, TextareaField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { operationsTexts } from '#app/locales/operations.ts';
import { PAUSE_SCOPES, pauseInput } from '#server/operations/schemas.ts';
import { DeedForm } from '../money/deed-form.tsx';

/** Closes everything, or one kind, to new tasks. */
export function PauseForm() {
  const t = useT(operationsTexts);
  const [form, fields] = useZodForm('pause', pauseInput, { defaultValue: { scope: 'all' } });
  return (
    <Panel title={t('pauses.add')} id="pausing" description={t('pauses.addLead')}>
      <DeedForm
        form={form}
        fields={['scope', 'reason']}
        intent="pause"
        values={{}}
        label={t('pauses.add')}
        buttons={
          <ConfirmButton confirmLabel={t('pauses.pauseSure')} name="button" value="pause">
            {t('pauses.pause')}
          </ConfirmButton>
        }
      >
        <SelectField
          field={fields.scope}
          label={t('pauses.chooseWhat')}
          options={PAUSE_SCOPES.map((scope) => ({ value: scope, label: t(`scope.${scope}`) }))}
        />
        <TextareaField
          field={fields.reason}
          label={t('pauses.chooseReason')}
          description={t('pauses.reasonHint')}
          autosize
          minRows={2}
          maxLength={300}
        />
      </DeedForm>
    </Panel>
  );
}
