import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { Check, type LucideIcon, Monitor, Moon, Sun } from 'lucide-react';
import classes from './color-scheme-menu.module.css';

const SCHEMES: readonly { value: MantineColorScheme; label: string; Icon: LucideIcon }[] = [
  { value: 'auto', label: 'As the system', Icon: Monitor },
  { value: 'light', label: 'Light table', Icon: Sun },
  { value: 'dark', label: 'Darkroom', Icon: Moon },
];

/** Chooses light, dark, or the system's own. Which icon shows is decided by CSS: the server cannot know the scheme. */
export function ColorSchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const mounted = useMounted();
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          radius="xl"
          aria-label="Colours"
          className={classes.button}
        >
          <Sun size={18} aria-hidden="true" className={classes.sun} />
          <Moon size={18} aria-hidden="true" className={classes.moon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(({ value, label, Icon }) => {
          const chosen = mounted && colorScheme === value;
          return (
            <Menu.Item
              key={value}
              leftSection={<Icon size={16} aria-hidden="true" />}
              rightSection={chosen ? <Check size={16} role="img" aria-label="chosen" /> : null}
              onClick={() => setColorScheme(value)}
            >
              {label}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
