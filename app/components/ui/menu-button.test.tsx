import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import { MenuButton, MenuItem, MenuLine } from './menu-button.tsx';

function show() {
  const onDark = vi.fn();
  renderInApp(
    <>
      <MenuButton label="Colours" icon={<svg aria-hidden="true" />}>
        <MenuItem chosen="chosen" onSelect={() => {}}>
          As the system
        </MenuItem>
        <MenuItem onSelect={onDark}>Darkroom</MenuItem>
        <MenuLine />
        <MenuItem to="/settings">Settings</MenuItem>
      </MenuButton>
      <button type="button">After</button>
    </>,
  );
  return { user: userEvent.setup(), onDark, button: screen.getByRole('button', { name: 'Colours' }) };
}

const item = (name: string) => screen.getByRole('menuitem', { name });

it('opens with the focus in it and says so', async () => {
  const { user, button } = show();
  expect(button).toHaveAttribute('aria-expanded', 'false');
  expect(screen.queryByRole('menu')).toBeNull();
  await user.click(button);
  expect(button).toHaveAttribute('aria-expanded', 'true');
  expect(screen.getByRole('menu', { name: 'Colours' })).toHaveFocus();
  expect(item('As the system chosen')).toBeVisible();
  expect(item('Settings')).toHaveAttribute('href', '/settings');
});

it('is moved through by arrows, Home, End and first letters', async () => {
  const { user, button } = show();
  button.focus();
  await user.keyboard('{ArrowDown}{ArrowUp}');
  expect(item('Settings')).toHaveFocus();
  await user.keyboard('{ArrowDown}');
  expect(item('As the system chosen')).toHaveFocus();
  await user.keyboard('d');
  expect(item('Darkroom')).toHaveFocus();
  await user.keyboard('{End}');
  expect(item('Settings')).toHaveFocus();
  await user.keyboard('{Home}{ArrowDown}');
  expect(item('Darkroom')).toHaveFocus();
});

it('does what is chosen, closes and gives the focus back', async () => {
  const { user, onDark, button } = show();
  button.focus();
  await user.keyboard('{Enter}{ArrowDown}{ArrowDown}{Enter}');
  expect(onDark).toHaveBeenCalledTimes(1);
  expect(screen.queryByRole('menu')).toBeNull();
  expect(button).toHaveFocus();
});

it('goes on Escape, on a press elsewhere, and with the focus', async () => {
  const { user, button } = show();
  await user.click(button);
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('menu')).toBeNull();
  expect(button).toHaveFocus();

  await user.click(button);
  await user.click(document.body);
  expect(screen.queryByRole('menu')).toBeNull();

  await user.click(button);
  await user.tab();
  expect(screen.getByRole('button', { name: 'After' })).toHaveFocus();
  expect(screen.queryByRole('menu')).toBeNull();

  await user.click(button);
  await user.click(button);
  expect(screen.queryByRole('menu')).toBeNull();
});
