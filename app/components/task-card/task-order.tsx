import { useT } from '#app/lib/language.tsx';
import { tasksTexts } from '#app/locales/tasks.ts';
import type { TaskDetailView } from '#server/generation/schemas.ts';
import classes from './task-page.module.css';

/** What was asked for: prompt, parameters, reference files. */
export function TaskOrder({ task }: { task: TaskDetailView }) {
  const t = useT(tasksTexts);
  const params = Object.entries(task.params).filter(([, value]) => value !== '' && value !== null);
  return (
    <div className={classes.order}>
      <section aria-label={t('page.prompt')} className={classes.prompt}>
        {task.prompt}
      </section>
      {params.length > 0 ? (
        <dl className={classes.facts}>
          {params.map(([name, value]) => (
            <div key={name}>
              <dt>{name === 'n' ? t('page.outputs') : name.replaceAll('_', ' ')}</dt>
              <dd>{value === true ? t('page.yes') : value === false ? t('page.no') : String(value)}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {task.references.length > 0 ? (
        <ul className={classes.references} aria-label={t('page.references')}>
          {task.references.map((reference) => (
            <li key={reference.id}>
              <a href={`/files/uploads/${reference.id}`} title={reference.fileName}>
                {reference.mime.startsWith('image/') ? (
                  <img
                    src={`/files/uploads/${reference.id}`}
                    alt={reference.fileName}
                    width={64}
                    height={64}
                    loading="lazy"
                  />
                ) : (
                  reference.fileName
                )}
              </a>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
