import { Stack, Text } from '@mantine/core';
import { CodeBlock } from '#app/components/ui/code-block.tsx';
import { CopyButton } from '#app/components/ui/copy-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { accountTexts } from '#app/locales/account.ts';
import { clientExample } from './client-example.ts';

/** A whole program against this very site, to copy. */
export function ClientExamplePanel({ origin }: { origin: string }) {
  const t = useT(accountTexts);
  const example = clientExample(origin);
  return (
    <Panel title={t('tokens.examplePanel')} id="example">
      <Stack gap="md">
        <Text size="sm">{t('tokens.exampleHelp')}</Text>
        <CodeBlock label={t('tokens.exampleLabel')} value={example} />
        <div>
          <CopyButton value={example}>{t('tokens.exampleCopy')}</CopyButton>
        </div>
      </Stack>
    </Panel>
  );
}
