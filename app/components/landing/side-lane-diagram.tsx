import { useT } from '#app/lib/language.tsx';
import { accountTexts } from '#app/locales/account.ts';
import classes from './side-lane-diagram.module.css';

const STEPS = [
  { key: 'submit', lane: 'page' },
  { key: 'sent', lane: 'side' },
  { key: 'watched', lane: 'side' },
  { key: 'saved', lane: 'side' },
  { key: 'back', lane: 'page' },
] as const;

/** How it works, as two lanes: the page comes and goes, the side lane goes on. */
export function SideLaneDiagram() {
  const t = useT(accountTexts);
  return (
    <section className={classes.root} aria-labelledby="two-lanes">
      <h2 id="two-lanes" className={classes.title}>
        {t('diagram.title')}
      </h2>
      <p className={classes.text}>{t('diagram.text')}</p>
      <ol className={classes.steps}>
        {STEPS.map(({ key, lane }) => (
          <li key={key} className={classes.step} data-lane={lane}>
            <span className={classes.name}>{t(`diagram.${key}.title`)}</span>
            <span className={classes.note}>{t(`diagram.${key}.note`)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
