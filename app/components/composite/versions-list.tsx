import { Link } from '@remix-run/react';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { compositeTexts } from '#app/locales/composite.ts';
import type { CompositeView } from '#server/generation/composite/schemas.ts';
import classes from './composite.module.css';

type VersionsListProps = {
  view: Pick<CompositeView, 'versions' | 'taskId'>;
  hrefFor(taskId: string): string;
};

/** All versions of the same work, first one first; the one that is shown is marked. */
export function VersionsList({ view, hrefFor }: VersionsListProps) {
  const t = useT(compositeTexts);
  return (
    <ol className={classes.versions} aria-label={t('versions.label')}>
      {view.versions.map((version, index) => {
        const current = version.taskId === view.taskId;
        return (
          <li key={version.taskId}>
            <Link
              to={hrefFor(version.taskId)}
              className={classes.version}
              aria-current={current ? 'page' : undefined}
            >
              <span>
                {t('versions.name', { number: index + 1 })}
                {current ? <span className={classes.dim}> {t('versions.shown')}</span> : null}
              </span>
              <span className={classes.dim}>
                <TimeAgo at={version.submittedAt} />
              </span>
              <StatusBadge status={version.status} />
            </Link>
          </li>
        );
      })}
    </ol>
  );
}
