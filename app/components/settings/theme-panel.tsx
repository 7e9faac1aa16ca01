import { type MantineColorScheme, Radio, Stack, useMantineColorScheme } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { accountTexts } from '#app/locales/account.ts';
import { commonTexts } from '#app/locales/common.ts';

const SCHEMES: readonly MantineColorScheme[] = ['auto', 'light', 'dark'];

/** Light, dark or the system's own: kept by the browser, which knows before the first paint. */
export function ThemePanel() {
  const t = useT(accountTexts);
  const words = useT(commonTexts);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const mounted = useMounted();
  return (
    <Panel title={t('theme.title')} id="colours" description={t('theme.description')}>
      <Radio.Group
        aria-label={t('theme.title')}
        value={mounted ? colorScheme : null}
        onChange={(value) => setColorScheme(value as MantineColorScheme)}
      >
        <Stack gap="xs">
          {SCHEMES.map((scheme) => (
            <Radio key={scheme} value={scheme} label={words(`colours.${scheme}`)} />
          ))}
        </Stack>
      </Radio.Group>
    </Panel>
  );
}
