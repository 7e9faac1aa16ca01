import { Stack } from '@mantine/core';
import { CodeBlock } from '#app/components/ui/code-block.tsx';
import { Panel } from '#app/components/ui/panel.tsx';

type RawPanelProps = { prompt: string; params: Record<string, unknown>; rawResult: unknown };

/** What was ordered and what the upstream answered, unshortened. */
export function RawPanel({ prompt, params, rawResult }: RawPanelProps) {
  return (
    <Panel title="As ordered and as answered">
      <Stack gap="xs">
        <CodeBlock label="Prompt" value={prompt} />
        {Object.keys(params).length > 0 ? <CodeBlock label="Parameters" value={params} /> : null}
        {rawResult === null || rawResult === undefined ? null : (
          <CodeBlock label="Raw result" value={rawResult} />
        )}
      </Stack>
    </Panel>
  );
}
