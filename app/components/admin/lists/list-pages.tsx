import { Button, Group } from '@mantine/core';
import { Link, useLocation } from '@remix-run/react';
import { ArrowRight, ChevronsLeft } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { adminListsTexts } from '#app/locales/admin-lists.ts';

/** Pages of a list that can be sorted, as plain links that keep the filters. */
export function ListPages({ nextCursor }: { nextCursor: string | null }) {
  const { pathname, search } = useLocation();
  const t = useT(adminListsTexts);
  const here = new URLSearchParams(search);
  const later = here.has('cursor');
  if (!later && nextCursor === null) return null;
  const href = (cursor: string | null) => {
    const query = new URLSearchParams(here);
    if (cursor === null) query.delete('cursor');
    else query.set('cursor', cursor);
    const text = query.toString();
    return text ? `?${text}` : pathname;
  };
  return (
    <Group component="nav" aria-label={t('pages.label')} justify="space-between" mt="md">
      {later ? (
        <Button
          component={Link}
          to={href(null)}
          variant="default"
          leftSection={<ChevronsLeft size={16} aria-hidden="true" />}
        >
          {t('pages.first')}
        </Button>
      ) : (
        <span />
      )}
      {nextCursor === null ? (
        <span />
      ) : (
        <Button
          component={Link}
          to={href(nextCursor)}
          variant="default"
          rightSection={<ArrowRight size={16} aria-hidden="true" />}
        >
          {t('pages.next')}
        </Button>
      )}
    </Group>
  );
}
