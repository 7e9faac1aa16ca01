import { Link } from '@remix-run/react';
import { Copy, Dices, SlidersHorizontal } from 'lucide-react';
import { CopyButton } from '#app/components/media/copy-button.tsx';
import media from '#app/components/media/media.module.css';
import { shorten } from '#app/components/media/output-name.ts';
import { useT } from '#app/lib/language.tsx';
import { tasksTexts } from '#app/locales/tasks.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import { isComposite } from '#server/generation/status.ts';

/** What can be taken over from a task's order: its prompt, its seed, all its settings. */
export function TaskTools({ task }: { task: Pick<TaskView, 'id' | 'kind' | 'prompt' | 'params'> }) {
  const t = useT(tasksTexts);
  const prompt = shorten(task.prompt, 60);
  const seed = seedOf(task.params);
  return (
    <span className={media.tools}>
      <CopyButton
        value={task.prompt}
        Icon={Copy}
        label={t('card.copyPrompt')}
        name={t('card.copyPromptName', { prompt })}
      />
      {seed === null ? null : (
        <CopyButton
          value={seed}
          Icon={Dices}
          label={t('card.copySeed')}
          name={t('card.copySeedName', { seed })}
        />
      )}
      {isComposite(task.kind) ? null : (
        <Link
          to={`/workbench?${new URLSearchParams({ from: task.id })}`}
          className={media.tool}
          aria-label={t('card.reuseName', { prompt })}
          title={t('card.reuse')}
        >
          <SlidersHorizontal size={15} aria-hidden />
        </Link>
      )}
    </span>
  );
}

/** A seed that was asked for; one that upstream chose is not known. */
function seedOf({ seed }: Record<string, unknown>): string | null {
  return typeof seed === 'number' || (typeof seed === 'string' && seed !== '') ? String(seed) : null;
}
