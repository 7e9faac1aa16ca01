import { useSearchParams } from '@remix-run/react';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import { makeModel } from '#app/testing/task-fixtures.ts';
import { ModelPicker } from './model-picker.tsx';

const MODELS = [
  makeModel({ typicalSeconds: { p50: 11.6, p90: 20 }, cancellable: false }),
  makeModel({
    slug: 'brush',
    title: 'Brush Two',
    description: '',
    price: { unit: 'call', credits: 0 },
    typicalSeconds: { p50: 200, p90: 400 },
    referenceRoles: ['first_frame', 'last_frame'],
  }),
];

function Page() {
  const [params] = useSearchParams();
  const chosen = MODELS.find(({ slug }) => slug === params.get('model')) ?? makeModel();
  return (
    <ModelPicker
      models={MODELS}
      chosen={chosen}
      hrefFor={({ slug }) => `/workbench?make=image&kind=video&model=${slug}`}
    />
  );
}

it('says of each model what it costs, how long it takes and what it can be given', async () => {
  renderInApp(<Page />, { url: '/workbench?make=image&kind=video' });
  const [paint, brush] = await screen.findAllByRole('radio');
  expect(screen.getByRole('group', { name: 'Model' })).toBeInTheDocument();
  expect(paint).toHaveAccessibleName('Paint One');
  expect(paint).toBeChecked();
  expect(paint).toHaveAccessibleDescription(
    '4 credits per output Pictures in a few seconds. about 12 s up to 2 references',
  );
  expect(brush).toHaveAccessibleDescription(/^free\s+about 3 min First frame, last frame can be cancelled$/);
});

it('is chosen by arrow keys, and a plain form keeps the rest of the address', async () => {
  const user = userEvent.setup();
  const { container } = renderInApp(<Page />, { url: '/workbench?make=image&kind=video' });
  (await screen.findByRole('radio', { name: 'Paint One' })).focus();
  await user.keyboard('{ArrowDown}');
  await waitFor(() => expect(screen.getByRole('radio', { name: 'Brush Two' })).toBeChecked());
  expect(screen.getByRole('radio', { name: 'Brush Two' })).toHaveFocus();
  const form = container.querySelector('form');
  expect(form?.method).toBe('get');
  expect(Object.fromEntries(new FormData(form ?? undefined))).toEqual({
    make: 'image',
    kind: 'video',
    model: 'brush',
  });
});
