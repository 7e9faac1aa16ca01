import { Skeleton, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import classes from './media.module.css';

type Excerpt = { state: 'loading' } | { state: 'ready'; text: string; cut: boolean } | { state: 'missing' };

type TextExcerptProps = {
  url: string;
  /** Size of the whole file in bytes. */
  bytes: number;
  /** Most bytes to load. */
  limit?: number;
  /** Fills the place it is given and cuts the rest, instead of growing. */
  clipped?: boolean;
};

/** The beginning of a text output, loaded by a range request. Shown as text, whatever it contains. */
export function TextExcerpt({ url, bytes, limit = 2_000, clipped = false }: TextExcerptProps) {
  const [excerpt, setExcerpt] = useState<Excerpt>({ state: 'loading' });

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

  if (excerpt.state === 'loading') {
    return (
      <div className={clipped ? classes.textClipped : classes.text} aria-busy="true">
        <Skeleton height={10} mt={4} />
        <Skeleton height={10} mt={10} />
        <Skeleton height={10} mt={10} width="60%" />
        <noscript>
          <a href={url}>Open the text</a>
        </noscript>
      </div>
    );
  }
  if (excerpt.state === 'missing') {
    return (
      <div className={clipped ? classes.textClipped : classes.text}>
        <Text size="sm" c="dimmed">
          The text could not be loaded. <a href={url}>Open it</a> or reload the page.
        </Text>
      </div>
    );
  }
  return (
    <div className={clipped ? classes.textClipped : classes.text}>
      {excerpt.text}
      {excerpt.cut ? '…' : ''}
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
