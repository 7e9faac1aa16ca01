import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import { SetUpSteps } from './set-up-steps.tsx';

it('leads to the first thing that is missing, and to nothing else', () => {
  const { unmount } = renderInApp(<SetUpSteps hasChannel={false} hasModel={false} hasWorker={false} />);
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    '/admin/channels/new',
  ]);
  unmount();
  renderInApp(<SetUpSteps hasChannel hasModel={false} hasWorker />);
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['/admin/models']);
  expect(screen.getAllByText('· done')).toHaveLength(2);
});
