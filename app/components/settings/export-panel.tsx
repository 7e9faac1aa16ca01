import { Button, Stack, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { accountTexts } from '#app/locales/account.ts';

/** Everything that is stored about a person, as a file; a plain link, so that it needs no script. */
export function ExportPanel() {
  const t = useT(accountTexts);
  return (
    <Panel title={t('data.exportPanel')} id="export">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t('data.exportHelp')}</Text>
        <Button
          component="a"
          href="/settings/export"
          download
          variant="default"
          leftSection={<Download size={16} aria-hidden="true" />}
        >
          {t('data.download')}
        </Button>
      </Stack>
    </Panel>
  );
}
