import { Download } from 'lucide-react';
import { useState } from 'react';
import { childOutputs } from '#app/components/composite/child-outputs.ts';
import { frameOf } from '#app/components/media/aspect.ts';
import { LazyLightbox } from '#app/components/media/lazy-lightbox.tsx';
import { OutputPlayer, shorten } from '#app/components/media/output-player.tsx';
import { useT } from '#app/lib/language.tsx';
import { agentTexts } from '#app/locales/agent.ts';
import { compositeTexts } from '#app/locales/composite.ts';
import type { AgentEntry } from '#server/generation/agent/schemas.ts';
import classes from './agent.module.css';

/** Everything that was made so far, in the order in which it was asked for. */
export function AgentResults({ transcript }: { transcript: readonly AgentEntry[] }) {
  const t = useT(agentTexts);
  const common = useT(compositeTexts);
  const [open, setOpen] = useState<number | null>(null);
  const results = transcript.flatMap((entry) => {
    if (entry.type !== 'make' || !entry.child) return [];
    const source = childOutputs(entry.child, entry.prompt);
    return source.outputs.map((output) => ({ source, output, prompt: entry.prompt }));
  });
  const images = results.flatMap(({ output }) =>
    output.kind === 'image' && !output.removedAt ? [output] : [],
  );
  // The lightbox numbers by place in this list.
  const shown = images.map((image, ordinal) => ({ ...image, ordinal }));
  if (results.length === 0) return <p className={classes.note}>{t('page.noResults')}</p>;
  return (
    <>
      <ul className={classes.results}>
        {results.map(({ source, output, prompt }) => (
          <li key={output.id} className={classes.result} data-kind={output.kind}>
            <div className={classes.resultPlace}>
              <OutputPlayer
                task={source}
                output={output}
                expected={frameOf(output, { width: 4, height: 3 })}
                size="tile"
                onOpen={() => setOpen(images.findIndex(({ id }) => id === output.id))}
              />
            </div>
            <p className={classes.resultFoot}>
              <span>{shorten(prompt, 60)}</span>
              {output.removedAt ? null : (
                <a
                  href={`${output.url}?download=1`}
                  className={classes.download}
                  aria-label={common('page.download', { name: shorten(prompt, 80) })}
                >
                  <Download size={15} aria-hidden />
                </a>
              )}
            </p>
          </li>
        ))}
      </ul>
      {shown.length > 0 ? (
        <LazyLightbox
          images={shown}
          index={open}
          alt={open === null ? '' : altOf(results, shown[open]?.id)}
          onChange={setOpen}
        />
      ) : null}
    </>
  );
}

function altOf(
  results: readonly { output: { id: string }; prompt: string }[],
  id: string | undefined,
): string {
  return shorten(results.find(({ output }) => output.id === id)?.prompt ?? '', 160);
}
