import { Link } from '@remix-run/react';
import { VersionsList } from '#app/components/composite/versions-list.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { compositeTexts } from '#app/locales/composite.ts';
import { dramaTexts } from '#app/locales/drama.ts';
import type { DramaView } from '#server/generation/drama/schemas.ts';
import classes from './drama.module.css';
import { versionNumber } from './drama-words.ts';
import { FilmPlayer } from './film-player.tsx';

/** What of another version is shown beside this one. */
type ComparedView = Pick<DramaView, 'taskId' | 'film' | 'settings' | 'plan'>;

export const dramaHref = (taskId: string): string => `/workbench/dramas/${taskId}`;

/** All versions of the film; each can be opened, or put beside the one that is shown. */
export function VersionsPanel({ view }: { view: Pick<DramaView, 'taskId' | 'versions'> }) {
  const t = useT(dramaTexts);
  if (view.versions.length < 2) return null;
  const others = view.versions.filter(({ taskId }) => taskId !== view.taskId);
  const newest = view.versions.at(-1);
  return (
    <Panel title={t('versions.title')} description={t('versions.hint')}>
      <VersionsList view={view} hrefFor={dramaHref} />
      <ul className={classes.compareLinks} aria-label={t('versions.compare')}>
        {others.map(({ taskId }) => (
          <li key={taskId}>
            <Link to={`${dramaHref(view.taskId)}?compare=${taskId}#compare`} preventScrollReset>
              {t('versions.compareWith', { number: versionNumber(view.versions, taskId) })}
            </Link>
          </li>
        ))}
      </ul>
      {newest && newest.taskId !== view.taskId ? (
        <p className={classes.dim}>
          {t('versions.notNewest')} <Link to={dramaHref(newest.taskId)}>{t('versions.openNewest')}</Link>
        </p>
      ) : null}
    </Panel>
  );
}

type CompareProps = { view: DramaView; other: ComparedView };

/** Two versions side by side. */
export function CompareVersions({ view, other }: CompareProps) {
  const t = useT(dramaTexts);
  const common = useT(compositeTexts);
  return (
    <Panel
      title={t('versions.sideBySide')}
      id="compare"
      actions={
        <Link to={dramaHref(view.taskId)} preventScrollReset className={classes.link}>
          {t('versions.close')}
        </Link>
      }
    >
      <div className={classes.compare}>
        {[view, other].map((version) => {
          const number = versionNumber(view.versions, version.taskId);
          const name = common('versions.name', { number });
          return (
            <section key={version.taskId} aria-label={name}>
              <h3 className={classes.shotTitle}>
                {name}
                {version === view ? <span className={classes.dim}> {common('versions.shown')}</span> : null}
              </h3>
              {version.film ? (
                <FilmPlayer
                  film={version.film}
                  title={t('page.versionFilmTitle', {
                    title: version.plan?.title ?? t('page.untitled'),
                    number,
                  })}
                  settings={version.settings}
                />
              ) : (
                <p className={classes.empty}>{t('versions.noFilm')}</p>
              )}
            </section>
          );
        })}
      </div>
    </Panel>
  );
}
