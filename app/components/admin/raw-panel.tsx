import { Stack } from '@mantine/core';
import { CodeBlock } from '#app/components/ui/code-block.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { attentionTexts } from '#app/locales/attention.ts';

type RawPanelProps = { prompt: string; params: Record<string, unknown>; rawResult: unknown };

/** What was ordered and what the upstream answered, unshortened. */
export function RawPanel({ prompt, params, rawResult }: RawPanelProps) {
  const t = useT(attentionTexts);
  return (
    <Panel id="raw" title={t('raw.title')}>
      <Stack gap="xs">
        <CodeBlock label={t('raw.prompt')} value={prompt} />
        {Object.keys(params).length > 0 ? <CodeBlock label={t('raw.parameters')} value={params} /> : null}
        {rawResult === null || rawResult === undefined ? null : (
          <CodeBlock label={t('raw.result')} value={rawResult} />
        )}
      </Stack>
    </Panel>
  );
}
