import { useT } from '#app/lib/language.tsx';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import { TabLinks } from './tab-links.tsx';

/** The two kinds of refunds, each with its page. */
export function RefundTabs({ current }: { current: 'credits' | 'money' }) {
  const t = useT(adminMoneyTexts);
  return (
    <TabLinks
      label={t('refunds.title')}
      tabs={[
        { to: '/admin/refunds', label: t('refunds.ofTasks'), current: current === 'credits' },
        { to: '/admin/refunds/money', label: t('refunds.ofOrders'), current: current === 'money' },
      ]}
    />
  );
}
