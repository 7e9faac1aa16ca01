import { render } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { useReloadWhenRestored } from './use-reload-when-restored.ts';

function Page({ reload }: { reload: () => void }) {
  useReloadWhenRestored(reload);
  return null;
}

const show = (persisted: boolean) =>
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }) as PageTransitionEvent);

it('loads a page anew that the browser kept while the reader was on another site, and no other one', () => {
  const reload = vi.fn();
  const { unmount } = render(<Page reload={reload} />);
  show(false);
  expect(reload).not.toHaveBeenCalled();
  show(true);
  expect(reload).toHaveBeenCalledOnce();
  unmount();
  show(true);
  expect(reload).toHaveBeenCalledOnce();
});
