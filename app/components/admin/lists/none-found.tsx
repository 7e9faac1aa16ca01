import { Button } from '@mantine/core';
import { Link } from '@remix-run/react';
import { type LucideIcon, Search } from 'lucide-react';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminListsTexts } from '#app/locales/admin-lists.ts';

type NoneFoundProps = {
  /** Titles of an empty list: of none at all, and of none that the filters let through. */
  none: string;
  noMatch: string;
  /** Whether filters or a later page are why nothing shows. */
  narrowed: boolean;
  /** There is more to look through behind this page. */
  hasMore?: boolean;
  /** Address without filters. */
  to: string;
  icon: LucideIcon;
  /** When there is none at all: what would show here. */
  children: string;
};

/** An empty list: none at all, or none that the filters let through. */
export function NoneFound({ none, noMatch, narrowed, hasMore = false, to, icon, children }: NoneFoundProps) {
  const t = useT(adminListsTexts);
  if (!narrowed) {
    return (
      <EmptyState icon={icon} title={none}>
        {children}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Search}
      title={noMatch}
      action={
        <Button component={Link} to={to} variant="default">
          {t('none.showAll')}
        </Button>
      }
    >
      {hasMore ? t('none.lookFurther') : t('none.help')}
    </EmptyState>
  );
}
