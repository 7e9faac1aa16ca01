import { Anchor } from '@mantine/core';
import { Link } from '@remix-run/react';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminTexts } from '#app/locales/admin.ts';
import type { ModelNumbers } from '#server/overview/schemas.ts';
import classes from './model-times.module.css';
import { percentOf } from './percent-of.ts';

/** How long each model takes from submit to result, and how often it gets there. */
export function ModelTimes({ models }: { models: readonly ModelNumbers[] }) {
  const t = useT(adminTexts);
  const format = useFormat();
  const longest = Math.max(1, ...models.map(({ p95Seconds }) => p95Seconds ?? 0));
  return (
    <DataTable
      label={t('overview.models.title')}
      rows={models}
      rowKey={({ modelId }) => modelId}
      columns={[
        {
          head: t('overview.models.model'),
          primary: true,
          cell: ({ modelId, title, kind }) => (
            <>
              <Anchor component={Link} to={`/admin/models/${modelId}`} fw={600}>
                {title}
              </Anchor>{' '}
              · {t(`kinds.${kind}`)}
            </>
          ),
        },
        {
          head: t('overview.models.submitted'),
          align: 'end',
          cell: ({ submitted }) => format.integer(submitted),
        },
        {
          head: t('overview.models.successRate'),
          align: 'end',
          cell: ({ succeeded, failed }) => {
            const percent = percentOf(succeeded, succeeded + failed);
            return percent === null ? t('none') : format.percent(percent);
          },
        },
        {
          head: t('overview.models.median'),
          align: 'end',
          cell: ({ p50Seconds }) => (p50Seconds === null ? t('none') : format.duration(p50Seconds * 1_000)),
        },
        {
          head: t('overview.models.slow'),
          align: 'end',
          cell: ({ p95Seconds }) => (p95Seconds === null ? t('none') : format.duration(p95Seconds * 1_000)),
        },
        {
          head: t('overview.models.bar'),
          cell: ({ p50Seconds, p95Seconds }) => (
            <svg className={classes.track} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect className={classes.far} width={share(p95Seconds, longest)} height={10} />
              <rect width={share(p50Seconds, longest)} height={10} />
            </svg>
          ),
        },
      ]}
    />
  );
}

const share = (seconds: number | null, longest: number) =>
  Math.round(((seconds ?? 0) / longest) * 1_000) / 10;
