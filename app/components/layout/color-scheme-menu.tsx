import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { type LucideIcon, Monitor, Moon, Sun } from 'lucide-react';
import { MenuButton, MenuItem } from '#app/components/ui/menu-button.tsx';
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
    <MenuButton
      variant="subtle"
      color="gray"
      className={classes.button}
      label={t('colours.label')}
      icon={
        <>
          <Sun size={18} aria-hidden="true" className={classes.sun} />
          <Moon size={18} aria-hidden="true" className={classes.moon} />
        </>
      }
    >
      {SCHEMES.map(({ value, Icon }) => (
        <MenuItem
          key={value}
          icon={<Icon size={16} aria-hidden="true" />}
          chosen={mounted && colorScheme === value ? t('colours.chosen') : null}
          onSelect={() => setColorScheme(value)}
        >
          {t(`colours.${value}`)}
        </MenuItem>
      ))}
    </MenuButton>
  );
}
