import type { TFunction } from 'i18next';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { TextareaField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { type Format, useFormat } from '#app/lib/use-format.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import { type AdminOrderDetail, refundOrderInput } from '#server/orders/schemas.ts';
import { DeedForm } from './deed-form.tsx';
import { RadioField } from './radio-field.tsx';
import { useActionKey } from './use-action-key.ts';

type Refundable = Pick<
  AdminOrderDetail,
  | 'id'
  | 'credits'
  | 'amountMinor'
  | 'currency'
  | 'refundedMinor'
  | 'clawedBackCredits'
  | 'unspentCredits'
  | 'unspentMinor'
>;

type RefundOrderPanelProps = {
  order: Refundable;
  /** For the next refund, from the server. */
  formKey: string;
};

/** Money back to the payer: for the credits that are still there, or all of it. */
export function RefundOrderPanel({ order, formKey }: RefundOrderPanelProps) {
  const t = useT(adminMoneyTexts);
  const key = useActionKey(formKey);
  return (
    <Panel title={t('refunds.refund')} id="refund" description={t('refundOrder.help')}>
      {/* A used key empties the form. */}
      <RefundOrderForm key={key} order={order} formKey={key} />
    </Panel>
  );
}

function RefundOrderForm({ order, formKey }: RefundOrderPanelProps) {
  const t = useT(adminMoneyTexts);
  const format = useFormat();
  const [form, fields] = useZodForm('refund-order', refundOrderInput);
  return (
    <DeedForm
      form={form}
      fields={['mode', 'reason']}
      intent="refund-order"
      values={{ orderId: order.id, key: formKey }}
      label={t('refunds.refund')}
      preventScrollReset
      buttons={<ConfirmButton confirmLabel={t('refundOrder.now')}>{t('refunds.refund')}</ConfirmButton>}
    >
      <RadioField field={fields.mode} label={t('refundOrder.what')} options={refundModes(order, t, format)} />
      <TextareaField
        field={fields.reason}
        label={t('why')}
        description={t('refundOrder.kept')}
        autosize
        minRows={1}
      />
    </DeedForm>
  );
}

/** Both ways with their price; the first is left out when nothing would be paid back. */
function refundModes(order: Refundable, t: TFunction<'adminMoney'>, format: Format) {
  const { unspentCredits, unspentMinor, currency } = order;
  const restMinor = order.amountMinor - order.refundedMinor;
  // Credits that expired are among them, and those are never owed: so it is the most that a debt can be.
  const spent = order.credits - order.clawedBackCredits - unspentCredits;
  const full = {
    value: 'full',
    label: t('refundOrder.full', { amount: format.money(restMinor, currency) }),
    description:
      spent > 0
        ? t('refundOrder.fullSpent', {
            credits: format.credits(unspentCredits),
            spent: format.credits(spent),
          })
        : t('refundOrder.fullUnspent', { credits: format.credits(unspentCredits) }),
  };
  if (unspentMinor <= 0) return [full];
  const unspent = {
    value: 'unspent',
    label: t('refundOrder.unspent', { amount: format.money(unspentMinor, currency) }),
    description: t('refundOrder.unspentHelp', { credits: format.credits(unspentCredits) }),
  };
  return [unspent, full];
}
