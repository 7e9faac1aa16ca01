import { useT } from '#app/lib/language.tsx';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import { TabLinks } from './tab-links.tsx';

/** Orders, and the payments that fit none of them. */
export function OrderTabs({ current }: { current: 'orders' | 'mismatches' }) {
  const t = useT(adminMoneyTexts);
  return (
    <TabLinks
      label={t('orders.title')}
      tabs={[
        { to: '/admin/orders', label: t('orders.all'), current: current === 'orders' },
        {
          to: '/admin/orders/mismatches',
          label: t('mismatches.title'),
          current: current === 'mismatches',
        },
      ]}
    />
  );
}
