import { Progress } from '@mantine/core';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { dramaTexts } from '#app/locales/drama.ts';
import type { DramaView } from '#server/generation/drama/schemas.ts';
import classes from './drama.module.css';
import { countParts, listParts, progressWords } from './drama-words.ts';

/** How far the shots are, all together. */
export function ShotsProgress({ shots }: { shots: DramaView['shots'] }) {
  const t = useT(dramaTexts);
  const format = useFormat();
  const counts = countParts(listParts(shots));
  const percent = counts.total === 0 ? 0 : Math.round((100 * counts.done) / counts.total);
  return (
    <div className={classes.progress}>
      <Progress value={percent} size="sm" aria-label={t('progress.shots')} />
      <p>{progressWords(counts, { t, format })}</p>
    </div>
  );
}

/** ffmpeg's own progress; without a value it has not begun. */
export function ComposingProgress({ progress }: { progress: number | null }) {
  const t = useT(dramaTexts);
  return (
    <div className={classes.progress}>
      <Progress
        value={progress ?? 100}
        striped={progress === null}
        size="sm"
        aria-label={t('progress.film')}
        aria-valuetext={progress === null ? t('progress.beginning') : undefined}
      />
      <p>
        {progress === null ? t('progress.beginningFree') : t('progress.composingFree', { percent: progress })}
      </p>
    </div>
  );
}
