import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { askOrderQuote } from '#app/components/drama/ask-drama.ts';
import { DRAMA_DRAFT, DramaComposer } from '#app/components/drama/drama-composer.tsx';
import type { DramaFormReply } from '#app/components/drama/drama-form.ts';
import { modelsForDrama } from '#app/components/drama/model-choice.tsx';
import { makeDramaQuote } from '#app/testing/drama-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { stubUploads } from '#app/testing/stub-uploads.ts';
import { makeModel } from '#app/testing/task-fixtures.ts';
import { AppError } from '#server/lib/app-error.ts';
import NewDrama, { action, clientAction, loader } from './workbench.dramas.new.tsx';

vi.mock('#app/components/drama/ask-drama.ts', () => ({ askOrderQuote: vi.fn() }));

const MODELS = [
  makeModel({
    slug: 'words',
    kind: 'text',
    title: 'Words One',
    converses: true,
    price: { unit: 'tokens', credits: 1, blockTokens: 1000 },
  }),
  makeModel({ slug: 'mute', kind: 'text', title: 'Plain Words', converses: false }),
  makeModel({ slug: 'paint', kind: 'image', maxReferences: 4 }),
  makeModel({ slug: 'film', kind: 'video', title: 'Film One', maxReferences: 1 }),
  makeModel({ slug: 'blind', kind: 'video', title: 'Film Blind', maxReferences: 0 }),
  makeModel({ slug: 'speak', kind: 'audio', title: 'Voice One' }),
];
const URL = '/workbench/dramas/new';

beforeEach(() => {
  sessionStorage.clear();
  vi.mocked(askOrderQuote)
    .mockReset()
    .mockResolvedValue(makeDramaQuote({ totalCredits: 96, seconds: 26 }));
});

function setUp(models = MODELS) {
  const submit = vi.fn(async (_input: unknown) => ({ taskId: 't1' }));
  const readDocument = vi.fn(async (_input: unknown) => ({ text: 'INT. TOWER. NIGHT' }));
  const context = {
    trpc: { generation: { models: async () => models }, dramas: { submit, readDocument } },
  };
  return { submit, readDocument, context };
}

function show(models = MODELS) {
  const { context, ...procedures } = setUp(models);
  const view = renderInApp(<NewDrama />, {
    url: URL,
    loader: ({ request }) => loader({ request, context } as never),
    action: async ({ request }) => {
      try {
        return await action({ request, context } as never);
      } catch (thrown) {
        // The page that it leads to is not part of this test.
        if (thrown instanceof Response) return {};
        throw thrown;
      }
    },
  });
  return { ...procedures, ...view };
}

const textField = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Text' });
const create = () => userEvent.click(screen.getByRole('button', { name: 'Create' }));

describe('ordering a drama', () => {
  it('offers models by what they can do in a film', async () => {
    show();
    const options = async (name: string) =>
      within(await screen.findByRole('combobox', { name }))
        .getAllByRole('option')
        .map(({ textContent }) => textContent);
    expect(await options('Storyboard')).toEqual(['Words One (1 credit per 1,000 tokens)']);
    expect(await options('Clips')).toEqual(['Film One (4 credits per output)', 'Still pictures']);
    expect(await options('Voice')).toEqual(['Voice One (4 credits per output)', 'Silent, captions only']);
  });

  it('sends what was chosen', async () => {
    const { submit } = show();
    await userEvent.type(await textField(), 'A letter');
    await userEvent.click(screen.getByRole('radio', { name: /A script/ }));
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Clips' }), 'Still pictures');
    await userEvent.click(screen.getByRole('checkbox', { name: 'Begin with a title card' }));
    await userEvent.type(screen.getByRole('spinbutton', { name: 'Start without a review' }), '50');
    await create();
    await waitFor(() => expect(submit).toHaveBeenCalledTimes(1));
    expect(submit.mock.lastCall?.[0]).toMatchObject({
      source: 'script',
      text: 'A letter',
      models: { storyboard: 'words', picture: 'paint', clip: undefined, voice: 'speak' },
      ratio: '16:9',
      shots: 6,
      captions: 'burnt',
      titleCard: false,
      startBelowCredits: 50,
    });
  });

  it('says at the field what is wrong, and keeps what was typed', async () => {
    const { submit } = show();
    await textField();
    await create();
    expect(await screen.findByText('Write an idea, or paste a script.')).toBeVisible();
    expect(await textField()).toBeInvalid();
    expect(submit).not.toHaveBeenCalled();

    const cause = new AppError('bad_request', 'Film One cannot begin with a picture.', {
      field: 'models.clip',
    });
    submit.mockRejectedValueOnce(
      Object.assign(new Error(cause.message, { cause }), { name: 'TRPCError', code: 'BAD_REQUEST' }),
    );
    await userEvent.type(await textField(), 'A letter');
    await create();
    expect(
      await screen.findByRole('combobox', {
        name: 'Clips',
        description: 'Film One cannot begin with a picture.',
      }),
    ).toBeInvalid();
    expect(await textField()).toHaveValue('A letter');
  });

  it('shows about what it costs, and asks again when something changes that', async () => {
    show();
    expect(await screen.findByText('About 96 credits')).toBeVisible();
    expect(vi.mocked(askOrderQuote).mock.lastCall?.[0]).toMatchObject({ shots: 6, models: { clip: 'film' } });
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Clips' }), 'Still pictures');
    await waitFor(() =>
      expect(vi.mocked(askOrderQuote).mock.lastCall?.[0]).toMatchObject({ models: { picture: 'paint' } }),
    );
    await waitFor(() => expect(vi.mocked(askOrderQuote).mock.lastCall?.[0].models.clip).toBeUndefined());
    expect(
      screen.getByText(/The storyboard is charged by itself, 1 credit per 1,000 tokens\./),
    ).toBeVisible();
  });

  it('says what is missing where nothing can be made', async () => {
    show(MODELS.filter(({ slug }) => slug !== 'words'));
    expect(await screen.findByText('No language model that can call tools yet')).toBeVisible();
  });

  it('works as a plain form: what comes back is what was sent', async () => {
    const fields = {
      source: 'script',
      text: '',
      storyboard: 'words',
      picture: 'paint',
      clip: '',
      voice: '',
      shots: '9',
    };
    const { context } = setUp();
    const request = new Request(`https://site.example.com${URL}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    });
    const answer = (await action({ request, context } as never)) as unknown as { data: DramaFormReply };
    renderInApp(
      <DramaComposer models={modelsForDrama(MODELS)} requestKey="key-of-page" reply={answer.data} />,
      { url: URL },
    );
    expect(await screen.findByRole('radio', { name: /A script/ })).toBeChecked();
    expect(screen.getByRole('spinbutton', { name: 'Shots' })).toHaveValue(9);
    expect(screen.getByRole('combobox', { name: 'Clips' })).toHaveValue('');
    expect(screen.getByRole('checkbox', { name: 'Begin with a title card' })).not.toBeChecked();
    expect(screen.getByText('Write an idea, or paste a script.')).toBeVisible();
  });

  it('has no accessibility violation', async () => {
    const { container } = show();
    await screen.findByText('About 96 credits');
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
  });
});

describe('the draft', () => {
  it('is there again when the page is opened anew', async () => {
    const first = show();
    await userEvent.type(await textField(), 'A letter');
    await userEvent.click(screen.getByRole('radio', { name: /A script/ }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Begin with a title card' }));
    first.unmount();
    show();
    await waitFor(async () => expect(await textField()).toHaveValue('A letter'));
    expect(screen.getByRole('radio', { name: /A script/ })).toBeChecked();
    expect(screen.getByRole('checkbox', { name: 'Begin with a title card' })).not.toBeChecked();
    expect(screen.getByText('8 / 30,000', { exact: false, selector: 'span' })).toBeVisible();
  });

  const run = (serverAction: () => Promise<unknown>) => {
    const request = new Request(`https://site.example.com${URL}`, {
      method: 'POST',
      body: new URLSearchParams({ text: 'x' }),
    });
    return clientAction({ request, params: {}, serverAction } as never);
  };

  it('is gone once the drama was accepted, and not before', async () => {
    sessionStorage.setItem(DRAMA_DRAFT, '{"text":"A letter"}');
    const lost = await run(() => Promise.reject(new TypeError('Failed to fetch')));
    expect(lost).toMatchObject({
      reply: { error: { '': [expect.stringMatching(/^The answer did not arrive/)] } },
    });
    expect(sessionStorage.getItem(DRAMA_DRAFT)).not.toBeNull();
    const toLogin = new Response(null, { status: 302, headers: { location: '/login?next=%2F' } });
    await expect(run(() => Promise.reject(toLogin))).rejects.toBe(toLogin);
    expect(sessionStorage.getItem(DRAMA_DRAFT)).not.toBeNull();
    const redirect = new Response(null, { status: 302, headers: { location: '/' } });
    await expect(run(() => Promise.reject(redirect))).rejects.toBe(redirect);
    expect(sessionStorage.getItem(DRAMA_DRAFT)).toBeNull();
  });
});

describe('text from a file', () => {
  const story = () => new File(['INT. TOWER. NIGHT'], 'story.md', { type: 'text/markdown' });
  const choose = async (container: HTMLElement) => {
    const input = container.querySelector<HTMLInputElement>('input[type="file"][accept*=".docx"]');
    if (!input) throw new Error('There is no field for a file');
    await userEvent.upload(input, story());
  };
  const uploadId = '0190a0b0-0000-7000-8000-0000000000e1';

  it('is put into the field, below what is there', async () => {
    stubUploads({ status: 201, response: { uploads: [{ id: uploadId }] } });
    try {
      const { readDocument, container } = show();
      await userEvent.type(await textField(), 'Mine');
      await choose(container);
      await waitFor(async () => expect(await textField()).toHaveValue('Mine\n\nINT. TOWER. NIGHT'));
      expect(readDocument).toHaveBeenCalledWith({ uploadId });
      expect(screen.getByText('The text of the file is in the field above.')).toBeVisible();
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('that cannot be read loses nothing', async () => {
    stubUploads({ status: 201, response: { uploads: [{ id: uploadId }] } });
    try {
      const { readDocument, container } = show();
      const cause = new AppError('bad_request', 'The Word document has a password. Save it without one.');
      readDocument.mockRejectedValueOnce(
        Object.assign(new Error(cause.message, { cause }), { name: 'TRPCError', code: 'BAD_REQUEST' }),
      );
      await userEvent.type(await textField(), 'Mine');
      await choose(container);
      expect(await screen.findByText('The Word document has a password. Save it without one.')).toBeVisible();
      expect(await textField()).toHaveValue('Mine');
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
