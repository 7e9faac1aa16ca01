import { ActionIcon, type ActionIconProps } from '@mantine/core';
import { Link } from '@remix-run/react';
import { Check } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useId } from 'react';
import classes from './menu-button.module.css';
import { useDropdown } from './use-dropdown.ts';

type MenuButtonProps = Pick<ActionIconProps, 'variant' | 'color' | 'className'> & {
  label: string;
  icon: ReactNode;
  /** `MenuItem`s, and what stands between them. */
  children: ReactNode;
};

const itemsOf = (menu: HTMLElement) => [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')];

/** Where an arrow, Home or End leads from an item, or a letter: the next item that begins with it. */
function itemFor(key: string, items: readonly HTMLElement[], at: number): HTMLElement | undefined {
  if (key === 'ArrowDown') return items[(at + 1) % items.length];
  if (key === 'ArrowUp') return items.at(at < 0 ? -1 : at - 1);
  if (key === 'Home') return items[0];
  if (key === 'End') return items.at(-1);
  if (key.length !== 1 || key === ' ') return undefined;
  const from = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return from.find((item) => item.textContent?.toLowerCase().startsWith(key.toLowerCase()));
}

/** A round button with a menu below it, moved through by arrows, Home, End and first letters. */
export function MenuButton({ label, icon, children, ...look }: MenuButtonProps) {
  const { isOpen, setOpen, close, trigger, panel, around } = useDropdown<HTMLButtonElement>();
  const id = useId();

  const onMenuKey = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const items = itemsOf(event.currentTarget);
    const item = itemFor(event.key, items, items.indexOf(document.activeElement as HTMLElement));
    if (!item) return;
    event.preventDefault();
    item.focus();
  };
  const onTriggerKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    setOpen(true);
  };
  const onMenuClick = (event: MouseEvent) => {
    if ((event.target as HTMLElement).closest('[role="menuitem"]')) close();
  };
  return (
    <div {...around} className={classes.root}>
      <ActionIcon
        {...look}
        ref={trigger}
        id={id}
        size="lg"
        radius="xl"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={onTriggerKey}
      >
        {icon}
      </ActionIcon>
      {isOpen ? (
        <div
          ref={panel}
          role="menu"
          aria-labelledby={id}
          tabIndex={-1}
          className={classes.menu}
          onKeyDown={onMenuKey}
          onClick={onMenuClick}
        >
          {children}
        </div>
      ) : null}
    </div>
  );
}

type MenuItemProps = {
  icon?: ReactNode;
  /** What a mark at its end says: it is the one in force. */
  chosen?: string | null;
  lang?: string;
  children: ReactNode;
} & ({ to: string; onSelect?: never } | { to?: never; onSelect: () => void });

/** An entry of a menu: a page, or something done at once. */
export function MenuItem({ icon, chosen, lang, children, to, onSelect }: MenuItemProps) {
  const content = (
    <>
      {icon}
      <span className={classes.words}>{children}</span>
      {chosen ? <Check size={16} role="img" aria-label={chosen} /> : null}
    </>
  );
  const shared = { role: 'menuitem', tabIndex: -1, lang, className: classes.item };
  return to === undefined ? (
    <button type="button" {...shared} onClick={onSelect}>
      {content}
    </button>
  ) : (
    <Link to={to} {...shared}>
      {content}
    </Link>
  );
}

export const MenuLine = () => <hr className={classes.line} />;

/** A heading within a menu. */
export const MenuHeading = ({ children }: { children: ReactNode }) => (
  <div role="presentation" className={classes.heading}>
    {children}
  </div>
);
