import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { expect, it } from 'vitest';
import { runForm } from '#app/lib/form.ts';
import { LanguageProvider } from '#app/lib/language.tsx';
import { parseForm } from '#app/lib/parse-form.ts';
import type { Language } from '#app/locales/languages.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { dryRun } from '#server/providers/custom/dry-run/dry-run.ts';
import { type DryRunView, dryRunInput } from '#server/providers/custom/dry-run/schemas.ts';
import { customSettings } from '#server/providers/custom/schemas.ts';
import { DIRECT, STUDIO } from '#server/providers/custom/testing/descriptions.ts';
import { CustomForm as Form } from './custom-form.tsx';
import { type CustomForm, customForm, toDryRun } from './custom-form-schema.ts';
import { PRESETS } from './custom-presets.ts';
import { toDescriptionText, toSettings } from './custom-settings-text.ts';
import type { CustomDefaults } from './use-custom-form.ts';

const preset = PRESETS[0];

function defaultsOf(settings: unknown, rest: Partial<CustomDefaults> = {}): CustomDefaults {
  const text = toDescriptionText(settings);
  if (!text) throw new Error('This description is broken.');
  return { settings: text, sample: {}, ...rest };
}

/** The form in a route whose action parses as the page's does and notes what went through. */
function setUp(
  defaults: CustomDefaults = defaultsOf(preset.settings),
  result: DryRunView | null = null,
  language: Language = 'en',
) {
  const sent: CustomForm[] = [];
  const form = (
    <LanguageProvider value={language}>
      <Form defaults={defaults} result={result} />
    </LanguageProvider>
  );
  const view = renderInApp(form, {
    action: async ({ request }) => {
      const form = await request.formData();
      return runForm(request, form, {
        name: 'custom',
        schema: customForm,
        secrets: ['apiKey'],
        run: async (input) => {
          sent.push(input);
          return { form: 'custom', reply: parseForm(form, customForm).reply({ hideFields: ['apiKey'] }) };
        },
      });
    },
  });
  return { sent, ...view };
}

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const press = (name: string) => userEvent.click(screen.getByText(name));
const fill = (label: string, value: string) => fireEvent.input(field(label), { target: { value } });

it('shows a stored description and sends the same one back', async () => {
  const stored = customSettings.parse({
    ...STUDIO,
    headers: [
      { name: 'X-Version', value: 'a: b' },
      { name: 'X-Mode', value: 'fast' },
    ],
    accepted: { path: 'code', values: ['0', 'ok'] },
    result: { path: '/r/{id}', as: 'file' },
  });
  const { sent } = setUp(defaultsOf(stored, { name: 'Studio', baseUrl: 'https://studio.example' }));
  await press('Dry run');
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0] && customSettings.parse(toSettings(sent[0].settings))).toEqual(stored);
});

it('a dry run needs neither name nor key, and takes the samples as they are', async () => {
  const { sent } = setUp({
    ...defaultsOf(preset.settings),
    sample: { params: '{"size":"1:1"}', created: { body: '{"id":"j1"}' } },
  });
  fill('Answer to the poll', '{"status":"failed"}');
  fill('HTTP status of the poll', '404');
  await press('Dry run');
  await waitFor(() => expect(sent).toHaveLength(1));
  const [input] = sent;
  expect(input && dryRunInput.parse(toDryRun(input))).toMatchObject({
    baseUrl: 'https://vendor.example',
    sample: { kind: 'image', model: 'some-model', params: { size: '1:1' } },
    created: { status: 200, body: '{"id":"j1"}' },
    polled: { status: 404, body: '{"status":"failed"}' },
    result: undefined,
  });
  // The form stays as it was.
  expect(field('Answer to the poll')).toHaveValue('{"status":"failed"}');
});

it('keeps a typed key through a dry run, and saves with it', async () => {
  const { sent } = setUp();
  fill('Name', 'Studio');
  fill('Base URL', 'https://studio.example');
  fill('API key', 'studio-key-1');
  await press('Dry run');
  await waitFor(() => expect(sent).toHaveLength(1));
  await press('Save as channel');
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]).toMatchObject({ intent: 'save', name: 'Studio', apiKey: 'studio-key-1' });
});

it('says beside each field what to do, and sends nothing', async () => {
  const { sent } = setUp();
  await press('Save as channel');
  expect(await screen.findByText('Enter a name.')).toBeVisible();
  expect(screen.getByText('Enter the API key.')).toBeVisible();
  fill('Create path', 'https://elsewhere.example/jobs');
  fill('Template', '{"prompt": {{prompt}}}');
  fill('Poll path', '/jobs');
  fill('Status words', 'painting = running\npainting twice');
  fill('Further headers', 'Authorization: Bearer x');
  fill('Parameters', 'size');
  await press('Dry run');
  expect(field('Create path')).toHaveAccessibleDescription(/Start the path with "\/"/);
  expect(field('Template')).toHaveAccessibleDescription(/no valid JSON.*double quotes/);
  expect(field('Status words')).toHaveAccessibleDescription(/Line 2: Choose one of queued/);
  expect(field('Further headers')).toHaveAccessibleDescription(/Line 1: .*field for the key/);
  expect(field('Parameters')).toHaveAccessibleDescription(/Write a JSON object/);
  fill('Create path', '/jobs');
  fill('Template', '{"prompt": "{{prompt}}"}');
  fill('Status words', 'painting = Running');
  fill('Further headers', 'X-Version: 2');
  // Rules over several fields come when each field alone is right.
  expect(field('Poll path')).toHaveAccessibleDescription(/Write \{id\} where the job's id goes/);
  expect(sent).toEqual([]);
});

it('needs no key where there is none, and none for a channel that has one', async () => {
  const account = { name: 'Studio', baseUrl: 'https://studio.example' };
  const none = setUp(defaultsOf({ ...DIRECT, auth: { style: 'none' } }, account));
  await press('Save as channel');
  await waitFor(() => expect(none.sent).toHaveLength(1));
  none.unmount();
  const channelId = '0190a0b0-0000-7000-8000-000000000001';
  const old = setUp(defaultsOf(STUDIO, { ...account, channelId }));
  expect(screen.queryByLabelText('API key')).not.toBeInTheDocument();
  await press('Save the description');
  await waitFor(() => expect(old.sent).toMatchObject([{ channelId, intent: 'save' }]));
});

it('shows the request and what would be read, and has no accessibility violation', async () => {
  const result = await dryRun(
    dryRunInput.parse({
      settings: STUDIO,
      created: { body: '{"ticket":{"no":"r-7"}}' },
      polled: { body: '{"render":{"phase":"varnishing","percent":40}}' },
    }),
  );
  const { container } = setUp(defaultsOf(STUDIO), result);
  const shown = within(screen.getByRole('status', { name: 'Result of the dry run' }));
  expect(shown.getByRole('region', { name: 'Create request' })).toHaveTextContent(
    /POST https:\/\/vendor.example\/renders x-studio-key: \*{8}/,
  );
  expect(shown.getByRole('region', { name: /create's answer means/ })).toHaveTextContent(/accepted.*r-7/);
  const poll = shown.getByRole('region', { name: /poll's answer means/ });
  expect(poll).toHaveTextContent(/"varnishing" is no known status word/);
  expect(poll).toHaveTextContent(/40 %/);
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
});

it('says in Chinese what was read, too', async () => {
  const files = [{ href: 'https://cdn.example/1.png' }, { href: 'https://cdn.example/2.png' }];
  const result = await dryRun(
    dryRunInput.parse({
      settings: STUDIO,
      created: { body: '{}' },
      polled: { body: JSON.stringify({ render: { phase: 'ready', files } }) },
    }),
  );
  setUp(defaultsOf(STUDIO), result, 'zh-CN');
  const shown = within(screen.getByRole('status', { name: '试运行结果' }));
  const create = shown.getByRole('region', { name: '创建响应的含义' });
  expect(create).toHaveTextContent(/不确定.*没有找到作业 ID。.*不会再次发送。.*作业 ID无/);
  const poll = shown.getByRole('region', { name: '轮询响应的含义' });
  expect(poll).toHaveTextContent(/成功已完成。结果数：2。/);
  expect(poll).toHaveTextContent(/结果 1https:.*1\.png结果 2https:.*2\.png/);
  expect(create.textContent).not.toMatch(/[a-z]{3} [a-z]{2}/);
});
