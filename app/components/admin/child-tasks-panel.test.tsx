import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import { ChildTasksPanel } from './child-tasks-panel.tsx';

const PART = {
  taskId: '0190a0b0-0000-7000-8000-0000000000c1',
  kind: 'image',
  status: 'uncertain',
  modelTitle: 'Paint One',
  prompt: 'A lamp in fog',
} as const;

it('lists the parts of larger work with their state, each with a way to it', () => {
  renderInApp(<ChildTasksPanel task={{ children: [PART], childCount: 3 }} />);
  expect(screen.getByRole('link', { name: 'A lamp in fog' })).toHaveAttribute(
    'href',
    `/admin/tasks/${PART.taskId}`,
  );
  expect(screen.getByRole('listitem')).toHaveTextContent('Uncertain');
  expect(screen.getByRole('listitem')).toHaveTextContent('Image · Paint One');
  expect(screen.getByText('And 2 more.')).toBeInTheDocument();
});

it('says that nothing has been started', () => {
  renderInApp(<ChildTasksPanel task={{ children: [], childCount: 0 }} />);
  expect(screen.getByText('Nothing has been started yet.')).toBeInTheDocument();
  expect(screen.queryByRole('list')).not.toBeInTheDocument();
});
