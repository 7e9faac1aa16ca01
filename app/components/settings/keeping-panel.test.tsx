import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { runForm } from '#app/lib/form.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { ExportPanel } from './export-panel.tsx';
import { KeepingPanel, retentionForm } from './keeping-panel.tsx';

it('saves days, takes an empty field as no limit and refuses what is out of bounds', async () => {
  const sent: unknown[] = [];
  renderInApp(<KeepingPanel days={30} />, {
    action: async ({ request }) =>
      (await runForm(request, await request.formData(), {
        name: 'set-retention',
        schema: retentionForm,
        run: async ({ days }) => {
          sent.push(days ?? null);
          return {};
        },
      })) ?? null,
  });
  const user = userEvent.setup();
  const field = screen.getByLabelText(/^Remove files after/);
  expect(field).toHaveValue(30);
  expect(screen.getByText('Files are removed after 30 days now.')).toBeVisible();
  await user.clear(field);
  await user.type(field, '4000');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(screen.getByText('At most 3,650 days.')).toBeVisible();
  expect(sent).toEqual([]);

  await user.clear(field);
  await user.type(field, '7');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await user.clear(field);
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(sent).toEqual([7, null]);
});

it('offers everything as a download that needs no script', () => {
  renderInApp(<ExportPanel />);
  expect(screen.getByRole('link', { name: 'Download your data' })).toHaveAttribute(
    'href',
    '/settings/export',
  );
});
