import { Button, Group } from '@mantine/core';
import { Link, useLocation } from '@remix-run/react';
import { ArrowLeft, ArrowRight } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { commonTexts } from '#app/locales/common.ts';

type PaginationProps = {
  nextCursor: string | null;
  /** Name of the query parameter; two lists on one page need two names. */
  param?: string;
  /** What is listed, for screen readers: "tasks". */
  label: string;
};

/** Pages by cursor, in the address: plain links that keep the filters. Draws nothing when one page holds all. */
export function Pagination({ nextCursor, param = 'cursor', label }: PaginationProps) {
  const location = useLocation();
  const t = useT(commonTexts);
  const here = new URLSearchParams(location.search);
  const later = here.has(param);
  if (!later && nextCursor === null) return null;

  const href = (cursor: string | null) => {
    const query = new URLSearchParams(here);
    if (cursor === null) query.delete(param);
    else query.set(param, cursor);
    const text = query.toString();
    return text ? `?${text}` : location.pathname;
  };

  return (
    <Group component="nav" aria-label={t('pages.label', { list: label })} justify="space-between" mt="md">
      {later ? (
        <Button
          component={Link}
          to={href(null)}
          variant="default"
          leftSection={<ArrowLeft size={16} aria-hidden />}
        >
          {t('pages.newest')}
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
          rightSection={<ArrowRight size={16} aria-hidden />}
        >
          {t('pages.older')}
        </Button>
      )}
    </Group>
  );
}
