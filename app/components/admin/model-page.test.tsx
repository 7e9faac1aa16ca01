import type { ActionFunction } from '@remix-run/node';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import type { ReactNode } from 'react';
import { expect, it } from 'vitest';
import { makeAdminModel, makeCandidate, makeChannel } from '#app/testing/channel-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { ModelCandidates } from './model-candidates.tsx';
import { NewModelForm } from './new-model-form.tsx';

const MAIN = makeChannel();
const GATEWAY = makeChannel({
  id: '0190a0b0-0000-4000-8000-0000000000c2',
  name: 'Gateway',
  protocol: 'newapi',
});
const SPEECH_ONLY = makeChannel({
  id: '0190a0b0-0000-4000-8000-0000000000c3',
  name: 'Voices',
  protocol: 'elevenlabs',
});

function setUp(ui: ReactNode) {
  const sent: Record<string, string>[] = [];
  const action: ActionFunction = async ({ request }) => {
    const form = [...(await request.formData())];
    sent.push(Object.fromEntries(form.map(([name, value]) => [name, String(value)])));
    return { done: 'yes' };
  };
  return { sent, ...renderInApp(ui, { action }) };
}

const optionsOf = (select: HTMLElement) =>
  within(select)
    .getAllByRole('option')
    .map((option) => option.textContent);

it('lists the own account first and says when the next one is tried', async () => {
  const model = makeAdminModel({ candidates: [makeCandidate(1), makeCandidate(2)] });
  const { container } = setUp(
    <main>
      <ModelCandidates model={model} channels={[MAIN, GATEWAY]} />
    </main>,
  );
  const items = screen.getAllByRole('listitem').map((item) => item.textContent);
  expect(items[0]).toMatch(/Main v1.*tried first/);
  expect(items[1]).toMatch(/next-1/);
  expect(items[2]).toMatch(/next-2/);
  expect(screen.getByText(/Never after an unknown outcome/)).toBeInTheDocument();
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
});

it('moves a candidate by posting the whole new order, and removes one', async () => {
  const user = userEvent.setup();
  const candidates = [makeCandidate(1), makeCandidate(2), makeCandidate(3)];
  const [one, two, three] = candidates.map(({ id }) => id);
  const { sent } = setUp(
    <ModelCandidates model={makeAdminModel({ candidates })} channels={[MAIN, GATEWAY]} />,
  );
  expect(screen.queryByRole('button', { name: 'Move next-1 on Main up' })).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Move next-3 on Main down' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Move next-3 on Main up' }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({
    intent: 'move-candidate',
    'candidateIds[0]': one,
    'candidateIds[1]': three,
    'candidateIds[2]': two,
  });
  await user.click(screen.getByRole('button', { name: 'Remove next-2 on Main' }));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]).toMatchObject({ intent: 'remove-candidate', candidateId: two });
});

it('offers only channels and endpoints that make the kind', async () => {
  const user = userEvent.setup();
  const { sent } = setUp(
    <ModelCandidates model={makeAdminModel()} channels={[MAIN, GATEWAY, SPEECH_ONLY]} />,
  );
  const form = within(screen.getByRole('form', { name: 'Add a candidate' }));
  expect(optionsOf(form.getByLabelText(/^Channel/))).toEqual(['Main', 'Gateway']);
  expect(form.getByLabelText(/^Channel/)).toHaveValue(GATEWAY.id);
  expect(optionsOf(form.getByLabelText(/^Endpoint/))).toEqual(['video', 'videos']);
  await user.selectOptions(form.getByLabelText(/^Channel/), 'Main');
  expect(optionsOf(form.getByLabelText(/^Endpoint/))).toEqual(['videos']);
  await user.type(form.getByLabelText(/Upstream model/), 'v2');
  await user.click(form.getByRole('button', { name: 'Add as the last one' }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({ channelId: MAIN.id, endpoint: 'videos', upstreamModel: 'v2' });
});

it('a new model is offered the kinds and endpoints of its channel’s protocol', async () => {
  const user = userEvent.setup();
  setUp(<NewModelForm template={null} channel={GATEWAY} />);
  const kind = screen.getByLabelText(/^Kind/);
  expect(optionsOf(kind)).toEqual(['image', 'video', 'audio', 'text']);
  expect(optionsOf(screen.getByLabelText(/^Endpoint/))).toEqual(['images', 'midjourney']);
  await user.selectOptions(kind, 'audio');
  expect(optionsOf(screen.getByLabelText(/^Endpoint/))).toEqual(['speech', 'suno']);
});

it('sends a price with its tiers, and shows beside the row what cannot be read', async () => {
  const user = userEvent.setup();
  const tiers = [{ when: { size: 'large' }, credits: 9 }];
  const template = {
    ...makeAdminModel(),
    id: 'clip',
    protocol: 'openai',
    parameters: {
      size: { type: 'choice' as const, label: 'Size', options: ['small', 'large'], default: 'small' },
    },
    price: { unit: 'call' as const, credits: 5, tiers },
  };
  const { sent } = setUp(<NewModelForm template={template} channel={MAIN} />);
  expect(screen.getByLabelText('Tier 1: when')).toHaveValue('size=large');
  expect(screen.getByLabelText('Tier 1: credits')).toHaveValue(9);
  await user.click(screen.getByRole('button', { name: 'Add a row' }));
  expect(await screen.findByLabelText('Tier 3: when')).toHaveValue('');
  await user.type(screen.getByLabelText('Tier 2: when'), 'small');
  await user.type(screen.getByLabelText('Tier 2: credits'), '4');
  await user.click(screen.getByRole('button', { name: 'Add model' }));
  expect(await screen.findByText(/Write name=value/)).toBeInTheDocument();
  expect(sent).toEqual([]);
  await user.clear(screen.getByLabelText('Tier 2: when'));
  await user.type(screen.getByLabelText('Tier 2: when'), 'size=small{Enter}');
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({
    'price.unit': 'call',
    'price.credits': '5',
    'price.tiers[0].when': 'size=large',
    'price.tiers[0].credits': '9',
    'price.tiers[1].when': 'size=small',
    'price.tiers[1].credits': '4',
    'price.tiers[2].when': '',
    'price.tiers[2].credits': '',
  });
});

it('a template brings its roles, also such as the list does not have', () => {
  const template = {
    ...makeAdminModel(),
    protocol: 'openai',
    referenceRoles: ['last_frame' as const, 'reference' as const],
  };
  setUp(<NewModelForm template={template} channel={MAIN} />);
  expect(screen.getByLabelText(/Reference files are/)).toHaveValue('last_frame,reference');
});
