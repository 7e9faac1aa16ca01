import { Skeleton, Text } from '@mantine/core';
import { Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Trans } from 'react-i18next';
import { useT } from '#app/lib/language.tsx';
import { tasksTexts } from '#app/locales/tasks.ts';
import { CopyButton } from './copy-button.tsx';
import classes from './media.module.css';

type Excerpt = { state: 'loading' } | { state: 'ready'; text: string; cut: boolean } | { state: 'missing' };

type TextExcerptProps = {
  url: string;
  /** Size of the whole file in bytes. */
  bytes: number;
  /** Most bytes to load. */
  limit: number;
  /** Fills the place it is given and scrolls in it, instead of growing. */
  scrolls: boolean;
  /** What it is the text of, for screen readers. */
  name: string;
};

/** The beginning of a text output, loaded by a range request, to read and to copy. Shown as text, whatever it contains. */
export function TextExcerpt({ url, bytes, limit, scrolls, name }: TextExcerptProps) {
  const [excerpt, setExcerpt] = useState<Excerpt>({ state: 'loading' });
  const t = useT(tasksTexts);

  useEffect(() => {
    const abort = new AbortController();
    loadExcerpt({ url, limit, signal: abort.signal }).then(
      (text) => setExcerpt({ state: 'ready', text, cut: bytes > limit }),
      () => {
        if (!abort.signal.aborted) setExcerpt({ state: 'missing' });
      },
    );
    return () => abort.abort();
  }, [url, bytes, limit]);

  const place = scrolls ? classes.textTile : classes.text;
  if (excerpt.state === 'loading') {
    return (
      <div className={place} aria-busy="true">
        <Skeleton height={10} mt={4} />
        <Skeleton height={10} mt={10} />
        <Skeleton height={10} mt={10} width="60%" />
        <noscript>
          <a href={url}>{t('output.textOpen')}</a>
        </noscript>
      </div>
    );
  }
  if (excerpt.state === 'missing') {
    return (
      <div className={place}>
        <Text size="sm" c="dimmed">
          <Trans
            t={t}
            i18nKey="output.textGone"
            components={{
              // biome-ignore lint/a11y/useAnchorContent: the text has the words
              a: <a href={url} />,
            }}
          />
        </Text>
      </div>
    );
  }
  const text = `${excerpt.text}${excerpt.cut ? '…' : ''}`;
  return (
    <div className={scrolls ? classes.textFrame : undefined}>
      {scrolls ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        <section className={place} aria-label={t('output.textLabel', { name })} tabIndex={0}>
          {text}
        </section>
      ) : (
        <div className={place}>{text}</div>
      )}
      <div className={classes.textCopy}>
        <CopyButton
          value={excerpt.text}
          Icon={Copy}
          label={t('output.copyText')}
          name={t('output.copyText')}
        />
      </div>
    </div>
  );
}

async function loadExcerpt(input: { url: string; limit: number; signal: AbortSignal }): Promise<string> {
  const response = await fetch(input.url, {
    headers: { range: `bytes=0-${input.limit - 1}` },
    signal: input.signal,
  });
  if (!response.ok) throw new Error(`The text answered ${response.status}`);
  const buffer = new Uint8Array(await response.arrayBuffer()).subarray(0, input.limit);
  // `stream` leaves out a character that the cut has halved.
  return new TextDecoder().decode(buffer, { stream: true });
}
