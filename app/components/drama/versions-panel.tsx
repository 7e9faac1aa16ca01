import { Link } from '@remix-run/react';
import { VersionsList } from '#app/components/composite/versions-list.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import type { DramaView } from '#server/generation/drama/schemas.ts';
import classes from './drama.module.css';
import { versionNumber } from './drama-words.ts';
import { FilmPlayer } from './film-player.tsx';

/** What of another version is shown beside this one. */
type ComparedView = Pick<DramaView, 'taskId' | 'film' | 'settings' | 'plan'>;

export const dramaHref = (taskId: string): string => `/workbench/dramas/${taskId}`;

/** All versions of the film; each can be opened, or put beside the one that is shown. */
export function VersionsPanel({ view }: { view: Pick<DramaView, 'taskId' | 'versions'> }) {
  if (view.versions.length < 2) return null;
  const others = view.versions.filter(({ taskId }) => taskId !== view.taskId);
  const newest = view.versions.at(-1);
  return (
    <Panel
      title="Versions"
      description="Open an older one and put it together again, or make parts anew there: it then goes on as the newest."
    >
      <VersionsList view={view} hrefFor={dramaHref} />
      <ul className={classes.compareLinks} aria-label="Compare with">
        {others.map(({ taskId }) => (
          <li key={taskId}>
            <Link to={`${dramaHref(view.taskId)}?compare=${taskId}#compare`} preventScrollReset>
              Compare with version {versionNumber(view.versions, taskId)}
            </Link>
          </li>
        ))}
      </ul>
      {newest && newest.taskId !== view.taskId ? (
        <p className={classes.dim}>
          This is not the newest version. <Link to={dramaHref(newest.taskId)}>Open the newest</Link>
        </p>
      ) : null}
    </Panel>
  );
}

type CompareProps = { view: DramaView; other: ComparedView };

/** Two versions side by side. */
export function CompareVersions({ view, other }: CompareProps) {
  return (
    <Panel
      title="Two versions side by side"
      id="compare"
      actions={
        <Link to={dramaHref(view.taskId)} preventScrollReset className={classes.link}>
          Close
        </Link>
      }
    >
      <div className={classes.compare}>
        {[view, other].map((version) => {
          const name = `Version ${versionNumber(view.versions, version.taskId)}`;
          return (
            <section key={version.taskId} aria-label={name}>
              <h3 className={classes.shotTitle}>
                {name}
                {version === view ? <span className={classes.dim}> (shown)</span> : null}
              </h3>
              {version.film ? (
                <FilmPlayer
                  film={version.film}
                  title={`Film: ${version.plan?.title ?? 'untitled'}, ${name.toLowerCase()}`}
                  settings={version.settings}
                />
              ) : (
                <p className={classes.empty}>This version has no film.</p>
              )}
            </section>
          );
        })}
      </div>
    </Panel>
  );
}
