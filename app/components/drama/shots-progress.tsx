import { Progress } from '@mantine/core';
import type { DramaView } from '#server/generation/drama/schemas.ts';
import classes from './drama.module.css';
import { countParts, listParts, progressWords } from './drama-words.ts';

/** How far the shots are, all together. */
export function ShotsProgress({ shots }: { shots: DramaView['shots'] }) {
  const counts = countParts(listParts(shots));
  const percent = counts.total === 0 ? 0 : Math.round((100 * counts.done) / counts.total);
  return (
    <div className={classes.progress}>
      <Progress value={percent} size="sm" aria-label="Progress of the shots" />
      <p>{progressWords(counts)}</p>
    </div>
  );
}

/** ffmpeg's own progress; without a value it has not begun. */
export function ComposingProgress({ progress }: { progress: number | null }) {
  return (
    <div className={classes.progress}>
      <Progress
        value={progress ?? 100}
        striped={progress === null}
        size="sm"
        aria-label="Progress of the film"
        aria-valuetext={progress === null ? 'Beginning' : undefined}
      />
      <p>{progress === null ? 'Beginning.' : `${progress} % put together.`} This costs nothing.</p>
    </div>
  );
}
