import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { Check, type LucideIcon, Monitor, Moon, Sun } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { commonTexts } from '#app/locales/common.ts';
import classes from './color-scheme-menu.module.css';

const SCHEMES: readonly { value: MantineColorScheme; Icon: LucideIcon }[] = [
  { value: 'auto', Icon: Monitor },
  { value: 'light', Icon: Sun },
  { value: 'dark', Icon: Moon },
];

/** Chooses light, dark, or the system's own. Which icon shows is decided by CSS: the server cannot know the scheme. */
export function ColorSchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const mounted = useMounted();
  const t = useT(commonTexts);
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          radius="xl"
          aria-label={t('colours.label')}
          className={classes.button}
        >
          <Sun size={18} aria-hidden="true" className={classes.sun} />
          <Moon size={18} aria-hidden="true" className={classes.moon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(({ value, Icon }) => {
          const chosen = mounted && colorScheme === value;
          return (
            <Menu.Item
              key={value}
              leftSection={<Icon size={16} aria-hidden="true" />}
              rightSection={chosen ? <Check size={16} role="img" aria-label={t('colours.chosen')} /> : null}
              onClick={() => setColorScheme(value)}
            >
              {t(`colours.${value}`)}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
