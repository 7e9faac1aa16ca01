import type { DramaView } from '#server/generation/drama/schemas.ts';
import classes from './drama.module.css';
import { CAPTION_WORDS } from './drama-words.ts';

/** What was asked for. */
export function DramaOrder({
  view: { settings, modelTitles },
}: {
  view: Pick<DramaView, 'settings' | 'modelTitles'>;
}) {
  const facts: [string, string][] = [
    ['Storyboard', modelTitles.storyboard],
    ['Pictures', modelTitles.picture],
    ['Clips', modelTitles.clip ?? 'still pictures'],
    ['Voice', modelTitles.voice ?? 'silent'],
    ['Shape', settings.ratio],
    ['Captions', CAPTION_WORDS[settings.captions].toLowerCase()],
    ['Title card', settings.titleCard ? 'yes' : 'no'],
    ['Music', settings.music ? 'yes' : 'no'],
  ];
  return (
    <>
      <section className={classes.source} aria-label={settings.source === 'script' ? 'Script' : 'Idea'}>
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
