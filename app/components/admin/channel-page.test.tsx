import type { ActionFunction } from '@remix-run/node';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import type { ReactNode } from 'react';
import { describe, expect, it } from 'vitest';
import { makeChannel } from '#app/testing/channel-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { ChannelForm, ChannelLimitsForm } from './channel-forms.tsx';
import { ChannelHealth } from './channel-health.tsx';
import { ChannelKeyPanel } from './channel-key-panel.tsx';
import { ChannelWebhooks } from './channel-webhooks.tsx';
import { NewChannelForm } from './new-channel-form.tsx';

const NOW = new Date('2026-11-29T12:00:00Z');
const LATER = new Date('2026-11-29T13:00:00Z');

/** Renders one part of the page in a route whose action notes each form it gets. */
function setUp(ui: ReactNode) {
  const sent: Record<string, string>[] = [];
  const action: ActionFunction = async ({ request }) => {
    const form = [...(await request.formData())];
    sent.push(Object.fromEntries(form.map(([name, value]) => [name, String(value)])));
    return { done: 'yes' };
  };
  return { sent, ...renderInApp(ui, { action }) };
}

const formOf = (name: string) => within(screen.getByRole('form', { name }));

describe('limits', () => {
  it('send empty fields as nothing and refuse half a pace in words', async () => {
    const user = userEvent.setup();
    const channel = makeChannel({ requestsPerMinute: 30, pollPace: { firstMs: 500, capMs: 20_000 } });
    const { sent } = setUp(<ChannelLimitsForm channel={channel} saved={false} />);
    expect(screen.getByLabelText(/New tasks per minute/)).toHaveValue(30);
    expect(screen.getByLabelText(/First look after/)).toHaveValue(0.5);
    expect(screen.getByLabelText(/Longest wait/)).toHaveValue(20);

    await user.clear(screen.getByLabelText(/New tasks per minute/));
    await user.clear(screen.getByLabelText(/Longest wait/));
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('Fill in both waits, or neither.')).toBeInTheDocument();
    expect(sent).toHaveLength(0);

    await user.type(screen.getByLabelText(/Longest wait/), '0.2');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText(/must not be shorter/)).toBeInTheDocument();

    await user.clear(screen.getByLabelText(/Longest wait/));
    await user.type(screen.getByLabelText(/Longest wait/), '2');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({
      intent: 'channel-limits',
      channelId: channel.id,
      maxInFlight: '100',
      requestsPerMinute: '',
      pollFirstSeconds: '0.5',
      pollCapSeconds: '2',
    });
  });
});

describe('the key', () => {
  it('is shown only after a reason and a second press', async () => {
    const user = userEvent.setup();
    const { sent } = setUp(<ChannelKeyPanel channel={makeChannel()} saved={false} revealed={null} />);
    const form = formOf('Show the key');
    await user.click(form.getByRole('button', { name: 'Show the key' }));
    await user.click(form.getByRole('button', { name: 'Show it once' }));
    expect(await form.findByText('Say why.')).toBeInTheDocument();
    expect(sent).toHaveLength(0);

    await user.type(form.getByRole('textbox'), 'Moving to another vault');
    await user.click(form.getByRole('button', { name: 'Show the key' }));
    expect(sent).toHaveLength(0);
    await user.click(form.getByRole('button', { name: 'Show it once' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ intent: 'reveal-key', reason: 'Moving to another vault' });
  });

  it('stands in a field to copy, with a word on what was written down', () => {
    setUp(<ChannelKeyPanel channel={makeChannel()} saved={false} revealed="sk-the-key" />);
    expect(screen.getByRole('textbox', { name: 'API key' })).toHaveValue('sk-the-key');
    expect(screen.getByText(/It is written down that you asked for it/)).toBeInTheDocument();
  });

  it('cannot be shown when there is none', () => {
    setUp(<ChannelKeyPanel channel={makeChannel({ key: null })} saved={false} revealed={null} />);
    expect(screen.queryByRole('form', { name: 'Show the key' })).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Replace the key' })).toBeInTheDocument();
  });
});

describe('health', () => {
  it('pauses with a reason', async () => {
    const user = userEvent.setup();
    const { sent } = setUp(<ChannelHealth channel={makeChannel()} now={NOW} />);
    expect(screen.queryByRole('form', { name: 'Go on' })).not.toBeInTheDocument();
    const form = formOf('Pause');
    await user.selectOptions(form.getByLabelText(/^Pause for/), '24 hours');
    await user.click(form.getByRole('button', { name: 'Pause it' }));
    expect(await form.findByText('Say why.')).toBeInTheDocument();
    await user.type(form.getByLabelText(/Why pause it/), 'Their maintenance');
    await user.click(form.getByRole('button', { name: 'Pause it' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ intent: 'pause', minutes: '1440', reason: 'Their maintenance' });
  });

  it.each([
    [{ pausedUntil: LATER }, 'Paused'],
    [{ coolDownUntil: LATER, consecutiveFailures: 6 }, 'Cooling down'],
  ])('of %o offers to go on', async (state, badge) => {
    const user = userEvent.setup();
    const channel = makeChannel({ ...state, lastErrorClass: 'server_error', lastErrorAt: NOW });
    const { sent } = setUp(<ChannelHealth channel={channel} now={NOW} />);
    expect(screen.getByText(badge)).toBeInTheDocument();
    expect(screen.getByText(/server_error/)).toBeInTheDocument();
    const form = formOf('Go on');
    await user.type(form.getByRole('textbox'), 'It is over');
    await user.click(form.getByRole('button', { name: 'Go on now' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ intent: 'resume', channelId: channel.id, reason: 'It is over' });
  });
});

describe('the switch', () => {
  it.each([
    [true, 'Turn off', 'Why turn it off?', ''],
    [false, 'Turn on', 'Why turn it on?', 'on'],
  ])('of a channel that is on: %s asks why', async (enabled, word, question, sentEnabled) => {
    const user = userEvent.setup();
    const { sent } = setUp(
      <ChannelHealth channel={makeChannel({ enabled })} now={NOW} load={{ inFlight: 3, queued: 2 }} />,
    );
    expect(screen.getByText('3 of 100')).toBeInTheDocument();
    const form = formOf(word);
    await user.click(form.getByRole('button', { name: word }));
    expect(await form.findByText('Say why.')).toBeInTheDocument();
    await user.type(form.getByLabelText(new RegExp(question.replace('?', '[?]'))), 'Their bill');
    await user.click(form.getByRole('button', { name: word }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ intent: 'switch', enabled: sentEnabled, reason: 'Their bill' });
  });
});

describe('webhooks', () => {
  it('show the address to paste, and never the secret', async () => {
    const user = userEvent.setup();
    const channel = makeChannel({ hasWebhookSecret: true });
    const { sent } = setUp(<ChannelWebhooks channel={channel} saved={null} />);
    expect(screen.getByRole('textbox', { name: 'Webhook address' })).toHaveValue(channel.webhookAddress);
    expect(screen.getByText(/One is stored, and never shown again/)).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Save the secret' }));
    expect(await screen.findByText('Paste the secret.')).toBeInTheDocument();
    await user.click(screen.getByRole('checkbox', { name: 'Remove the stored secret' }));
    await user.click(screen.getByRole('button', { name: 'Save the secret' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ intent: 'webhook-secret', remove: 'on', webhookSecret: '' });
  });

  it.each([
    ['gemini', null],
    ['runway', null],
    ['kling', /signs nothing/],
    ['fal', /Address of the public keys/],
  ])('of %s ask for what its vendor has', (protocol, text) => {
    setUp(<ChannelWebhooks channel={makeChannel({ protocol })} saved={null} />);
    expect(screen.queryByRole('button', { name: 'Save the secret' })).not.toBeInTheDocument();
    if (text) expect(screen.getByText(text)).toBeInTheDocument();
    else expect(screen.queryByText('Webhook address')).not.toBeInTheDocument();
  });
});

describe('a new channel', () => {
  it('starts with the address and the words of its protocol', () => {
    setUp(<NewChannelForm protocol="replicate" templates={[]} />);
    expect(screen.getByLabelText(/Base URL/)).toHaveValue('https://api.replicate.com/v1');
    expect(screen.getByLabelText(/API token \(r8_…\)/)).toHaveAttribute('type', 'password');
    expect(screen.getByLabelText(/Webhook signing key/)).toHaveValue('');
    expect(screen.getByText('Endpoints by what they make: image, video, audio, text.')).toBeInTheDocument();
    expect(screen.getByText(/no ready-made model/)).toBeInTheDocument();
  });

  it('asks for the address of a gateway, and says what is missing', async () => {
    const user = userEvent.setup();
    const { sent } = setUp(<NewChannelForm protocol="newapi" templates={[]} />);
    expect(screen.getByLabelText(/Base URL/)).toHaveValue('');
    expect(screen.queryByLabelText(/Webhook/)).not.toBeInTheDocument();
    await user.type(screen.getByLabelText(/^Name/), 'Gateway');
    await user.type(screen.getByLabelText(/Token/), 'sk-0123456789');
    await user.click(screen.getByRole('button', { name: 'Add channel' }));
    expect(await screen.findByText('Fill this in.')).toBeInTheDocument();
    await user.type(screen.getByLabelText(/Base URL/), 'https://gateway.example');
    await user.click(screen.getByRole('button', { name: 'Add channel' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ protocol: 'newapi', baseUrl: 'https://gateway.example' });
  });
});

it('has no accessibility violation', async () => {
  const channel = makeChannel({ pausedUntil: LATER, hasWebhookSecret: true });
  const { container } = setUp(
    <main>
      <ChannelHealth channel={channel} now={NOW} />
      <ChannelForm channel={channel} saved />
      <ChannelLimitsForm channel={channel} saved={false} />
      <ChannelWebhooks channel={channel} saved={null} />
      <ChannelKeyPanel channel={channel} saved={false} revealed="sk-the-key" />
    </main>,
  );
  await screen.findByRole('form', { name: 'Pause' });
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
});
