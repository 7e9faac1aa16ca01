import type { ReactNode } from 'react';
import { ChildTile } from '#app/components/composite/child-tile.tsx';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { dramaTexts } from '#app/locales/drama.ts';
import type { DramaPartView, DramaView } from '#server/generation/drama/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import classes from './drama.module.css';
import { countParts, listParts, partLabel, partSentence, progressWords } from './drama-words.ts';

type ShotListProps = {
  view: Pick<DramaView, 'shots' | 'plan' | 'task'>;
  /** Below the parts of a shot: what can be done with it. */
  actionsOf?: (shotId: string, index: number) => ReactNode;
};

/** Every shot of the film with its parts as they are made: picture, clip, voice. */
export function ShotList({ view, actionsOf }: ShotListProps) {
  const t = useT(dramaTexts);
  const format = useFormat();
  const isEnded = isTerminal(view.task.status);
  return (
    <ol className={classes.shots} aria-label={t('page.shots')}>
      {view.shots.map((shot, index) => {
        const planned = view.plan?.shots.find(({ id }) => id === shot.id);
        const parts = listParts([shot]);
        return (
          <li key={shot.id} className={classes.shot} data-testid={`shot-${shot.id}`}>
            <header className={classes.shotHead}>
              <h3 className={classes.shotTitle}>
                {t('shot.name', { number: index + 1 })}
                {planned ? (
                  <span className={classes.dim}> · {t('shot.length', { seconds: planned.seconds })}</span>
                ) : null}
              </h3>
              <span className={classes.dim}>{progressWords(countParts(parts), { t, format })}</span>
            </header>
            {planned ? <ShotWords narration={planned.narration} picture={planned.picturePrompt} /> : null}
            <div className={classes.parts}>
              {parts.map(({ part, view: partView }) => (
                <PartTile
                  key={part}
                  label={partLabel({ index, part }, t)}
                  name={t(`parts.${part}`)}
                  part={partView}
                  isEnded={isEnded}
                />
              ))}
            </div>
            {actionsOf?.(shot.id, index)}
          </li>
        );
      })}
    </ol>
  );
}

function ShotWords({ narration, picture }: { narration: string; picture: string }) {
  return (
    <>
      {narration ? <p className={classes.narration}>{narration}</p> : null}
      <p className={classes.prompt}>{picture}</p>
    </>
  );
}

type PartTileProps = { label: string; name: string; part: DramaPartView; isEnded: boolean };

/** One part: the task that makes it, or why there is none. */
function PartTile({ label, name, part, isEnded }: PartTileProps) {
  const t = useT(dramaTexts);
  const words = useServerWords();
  return (
    <section className={classes.part} aria-label={label}>
      <h4 className={classes.partName}>{name}</h4>
      {part.child ? (
        <ChildTile child={part.child} label={label}>
          {part.takenOver ? <p className={classes.dim}>{t('parts.takenOver')}</p> : null}
          {part.problem && part.problem !== part.child.failure ? (
            <p className={classes.bad}>{words(part.problem)}</p>
          ) : null}
        </ChildTile>
      ) : (
        <p className={classes.empty} data-bad={part.problem ? true : undefined}>
          {words(part.problem) ?? partSentence(part, isEnded, t)}
        </p>
      )}
    </section>
  );
}

/** Reference pictures of the characters, which every shot's picture is made with. */
export function CharacterList({ view }: { view: Pick<DramaView, 'characters' | 'plan' | 'task'> }) {
  const t = useT(dramaTexts);
  const people = (view.plan?.characters ?? []).flatMap(({ id, name }) => {
    const part = view.characters[id];
    return part ? [{ id, name, part }] : [];
  });
  if (people.length === 0) return null;
  const isEnded = isTerminal(view.task.status);
  return (
    <section aria-labelledby="looks-heading" className={classes.shot}>
      <h3 id="looks-heading" className={classes.shotTitle}>
        {t('parts.looksHeading')}
      </h3>
      <div className={classes.parts}>
        {people.map(({ id, name, part }) => (
          <PartTile key={id} label={t('parts.looks', { name })} name={name} part={part} isEnded={isEnded} />
        ))}
      </div>
    </section>
  );
}
