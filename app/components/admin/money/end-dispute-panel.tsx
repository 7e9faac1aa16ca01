import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { TextareaField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import { endDisputeInput } from '#server/orders/schemas.ts';
import { DeedForm } from './deed-form.tsx';
import { RadioField } from './radio-field.tsx';

const VERDICTS = ['won', 'lost'] as const;

/** How a dispute ended, when the payment service never reported it. */
export function EndDisputePanel({ orderId }: { orderId: string }) {
  const t = useT(adminMoneyTexts);
  const [form, fields] = useZodForm('end-dispute', endDisputeInput);
  return (
    <Panel title={t('dispute.title')} id="dispute-end" description={t('dispute.help')}>
      <DeedForm
        form={form}
        fields={['verdict', 'reason']}
        intent="end-dispute"
        values={{ orderId }}
        label={t('dispute.title')}
        preventScrollReset
        buttons={<ConfirmButton confirmLabel={t('dispute.now')}>{t('dispute.title')}</ConfirmButton>}
      >
        <RadioField
          field={fields.verdict}
          label={t('dispute.how')}
          options={VERDICTS.map((value) => ({
            value,
            label: t(`dispute.${value}`),
            description: t(`dispute.${value}Help`),
          }))}
        />
        <TextareaField
          field={fields.reason}
          label={t('why')}
          description={t('dispute.kept')}
          autosize
          minRows={1}
        />
      </DeedForm>
    </Panel>
  );
}
