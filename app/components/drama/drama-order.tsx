import { useT } from '#app/lib/language.tsx';
import { dramaTexts } from '#app/locales/drama.ts';
import type { DramaView } from '#server/generation/drama/schemas.ts';
import classes from './drama.module.css';

/** What was asked for. */
export function DramaOrder({
  view: { settings, modelTitles },
}: {
  view: Pick<DramaView, 'settings' | 'modelTitles'>;
}) {
  const t = useT(dramaTexts);
  const facts: [string, string][] = [
    [t('order.storyboard'), modelTitles.storyboard],
    [t('order.pictures'), modelTitles.picture],
    [t('order.clips'), modelTitles.clip ?? t('order.stills')],
    [t('order.voice'), modelTitles.voice ?? t('order.silent')],
    [t('order.shape'), settings.ratio],
    [t('order.captions'), t(`captionsIn.${settings.captions}`)],
    [t('order.titleCard'), t(settings.titleCard ? 'order.yes' : 'order.no')],
    [t('order.music'), t(settings.music ? 'order.yes' : 'order.no')],
  ];
  return (
    <>
      <section
        className={classes.source}
        aria-label={t(settings.source === 'script' ? 'order.script' : 'order.idea')}
      >
        {settings.text}
      </section>
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
