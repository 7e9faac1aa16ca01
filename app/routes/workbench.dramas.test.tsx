import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { COMPOSITE_ID, makeChild } from '#app/testing/composite-fixtures.ts';
import {
  makeDoneDrama,
  makeDoneParts,
  makeDrama,
  makeDramaQuote,
  makePart,
} from '#app/testing/drama-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { DramaView } from '#server/generation/drama/schemas.ts';
import { AppError } from '#server/lib/app-error.ts';
import DramaPage, { action, loader } from './workbench.dramas.$taskId.tsx';
import { action as quoteAction } from './workbench.dramas.quote.ts';

const OTHER_ID = '0190a0b0-0000-7000-8000-0000000000a2';
const AT = new Date('2026-01-05T10:00:00Z');

function refused(code: string, message: string): Error {
  const cause = new AppError(code === 'CONFLICT' ? 'conflict' : 'not_found', message);
  return Object.assign(new Error(message, { cause }), { name: 'TRPCError', code });
}

function setUp(views: DramaView[]) {
  const dramas = {
    get: vi.fn(async ({ taskId }: { taskId: string }) => {
      const view = views.find((each) => each.taskId === taskId);
      if (!view) throw refused('NOT_FOUND', 'There is no such film.');
      return view;
    }),
    start: vi.fn(async (_input: unknown) => ({})),
    failedParts: vi.fn(async (_input: unknown) => undefined),
    redo: vi.fn(async (_input: unknown) => ({ taskId: COMPOSITE_ID })),
    quote: vi.fn(async (_input: unknown) => makeDramaQuote()),
  };
  const composites = { pause: vi.fn(async (_input: unknown) => ({ ok: true })) };
  const generation = { cancel: vi.fn(async (_input: unknown) => ({ answer: 'requested' })) };
  return { dramas, composites, generation, context: { trpc: { dramas, composites, generation } } };
}

function show(view: DramaView, { query = '', others = [] as DramaView[] } = {}) {
  const { context, ...procedures } = setUp([view, ...others]);
  const params = { taskId: view.taskId };
  const rendered = renderInApp(<DramaPage />, {
    url: `/workbench/dramas/${view.taskId}${query}`,
    loader: ({ request }) => loader({ request, params, context } as never),
    action: ({ request }) => action({ request, params, context } as never),
  });
  return { ...procedures, ...rendered };
}

const region = (name: string | RegExp) => screen.findByRole('region', { name });

describe('the page of a drama, by phase', () => {
  it('storyboard: says who writes it, which try it is and what was wrong', async () => {
    show(
      makeDrama({
        phase: 'storyboard',
        waitingFor: 'children',
        plan: null,
        quote: null,
        storyboard: {
          tries: 2,
          problem: 'A shot has no picture.',
          child: makeChild({ kind: 'text', status: 'running', outputs: [] }),
        },
      }),
    );
    expect(await screen.findByText(/Words One is writing the storyboard\./)).toBeVisible();
    expect(screen.getByText(/^Try 2 of at most 3/)).toBeVisible();
    expect(screen.getByText('A shot has no picture.')).toBeVisible();
    expect(screen.getByRole('listitem', { current: 'step' })).toHaveTextContent('Storyboard');
  });

  it('review: says until when it waits, and has the storyboard to change', async () => {
    const { dramas } = show(makeDrama());
    expect(await screen.findByText('It waits for you')).toBeVisible();
    await userEvent.click(await screen.findByRole('button', { name: 'Start the shots' }));
    await waitFor(() =>
      expect(dramas.start.mock.lastCall?.[0]).toEqual({
        taskId: COMPOSITE_ID,
        planVersion: 1,
        quotedCredits: 52,
      }),
    );
  });

  it('review: shows the new price when the old one was refused', async () => {
    const { dramas } = show(makeDrama());
    await screen.findByText('It waits for you');
    dramas.get.mockImplementation(async () => makeDrama({ quote: makeDramaQuote({ totalCredits: 70 }) }));
    dramas.start.mockRejectedValueOnce(refused('UNPROCESSABLE_CONTENT', 'The price has changed.'));
    await userEvent.click(screen.getByRole('button', { name: 'Start the shots' }));
    expect(await screen.findByText('The price has changed.')).toBeVisible();
    await waitFor(() => expect(screen.getByTestId('total')).toHaveTextContent('70 credits'));
    await userEvent.click(screen.getByRole('button', { name: 'Start the shots' }));
    await waitFor(() => expect(dramas.start.mock.lastCall?.[0]).toMatchObject({ quotedCredits: 70 }));
  });

  it('shots: shows each part with its state, and how far all are', async () => {
    const running = makeChild({
      kind: 'video',
      status: 'running',
      progress: 40,
      outputs: [],
      chargedCredits: 0,
    });
    show(
      makeDrama({
        phase: 'shots',
        waitingFor: 'children',
        shots: [
          { ...makeDoneParts('s1'), clip: makePart({ status: 'running', child: running }) },
          { id: 's2', picture: makePart(), clip: makePart(), voice: null },
        ],
        characters: { c1: makePart({ status: 'done', takenOver: true, child: makeChild() }) },
      }),
    );
    expect(await screen.findByRole('progressbar', { name: 'Progress of Shot 1, clip' })).toHaveAttribute(
      'aria-valuenow',
      '40',
    );
    expect(screen.getByRole('progressbar', { name: 'Progress of the shots' })).toHaveAttribute(
      'aria-valuenow',
      '40',
    );
    expect(screen.getByText('2 of 5 parts are done.')).toBeVisible();
    expect(screen.queryByRole('region', { name: 'Shot 2, voice' })).toBeNull();
    expect(within(screen.getByRole('region', { name: 'Shot 2, clip' })).getByText(/^In line/)).toBeVisible();
    expect(
      within(screen.getByRole('region', { name: 'Looks of Mara' })).getByText(/not charged again/),
    ).toBeVisible();
  });

  it('shots: says of a failed part what happened and that it was not charged', async () => {
    const child = makeChild({
      kind: 'video',
      status: 'failed',
      failure: 'The words were refused.',
      outputs: [],
      chargedCredits: 0,
    });
    const clip = makePart({ status: 'failed', problem: 'The words were refused.', child });
    show(makeDrama({ phase: 'shots', shots: [{ ...makeDoneParts('s1'), clip }] }));
    const part = within(await region('Shot 1, clip'));
    expect(part.getAllByText('The words were refused.')).toHaveLength(1);
    expect(part.getByText('not charged')).toBeVisible();
  });

  it('failed parts: one or all again, each with its price, or without them', async () => {
    const failed = (name: string) =>
      makePart({ key: `shot:s1:${name}:1`, status: 'failed', problem: `No ${name}.` });
    const left = makePart({ key: 'shot:s2:clip:1', status: 'skipped', problem: 'The picture is missing.' });
    const { dramas } = show(
      makeDrama({
        phase: 'failed_parts',
        shots: [
          { ...makeDoneParts('s1'), clip: failed('clip') },
          { id: 's2', picture: { ...failed('picture'), key: 'shot:s2:picture:1' }, clip: left, voice: null },
        ],
      }),
    );
    expect(await screen.findByText('2 parts failed')).toBeVisible();
    const again = screen.getByRole('button', { name: 'Try again for 10 credits: Shot 1, clip' });
    expect(again).toHaveTextContent('Try again for 10 credits');
    expect(screen.getByRole('button', { name: 'Try again for 14 credits: Shot 2, picture' })).toBeVisible();
    await userEvent.click(again);
    await waitFor(() => expect(dramas.failedParts).toHaveBeenCalledTimes(1));
    await userEvent.click(screen.getByRole('button', { name: 'Try all 2 again' }));
    await waitFor(() => expect(dramas.failedParts).toHaveBeenCalledTimes(2));
    await userEvent.click(screen.getByRole('button', { name: 'Finish without' }));
    await userEvent.click(screen.getByRole('button', { name: 'Finish without them' }));
    await waitFor(() =>
      expect(dramas.failedParts.mock.calls.map(([input]) => input)).toEqual([
        { taskId: COMPOSITE_ID, decision: 'retry', shotId: 's1', part: 'clip' },
        { taskId: COMPOSITE_ID, decision: 'retry' },
        { taskId: COMPOSITE_ID, decision: 'finish_without' },
      ]),
    );
  });

  it('composing: shows how far the film is', async () => {
    const drama = makeDrama({ phase: 'composing', waitingFor: null, shots: [makeDoneParts('s1')] });
    show({ ...drama, task: { ...drama.task, status: 'archiving', progress: 35 } });
    expect(await screen.findByRole('progressbar', { name: 'Progress of the film' })).toHaveAttribute(
      'aria-valuenow',
      '35',
    );
    expect(screen.getByText('35 % put together. This costs nothing.')).toBeVisible();
  });

  it('done: plays the film with its captions, and offers every file', async () => {
    const { container } = show(makeDoneDrama());
    const player = await screen.findByLabelText('Film: The letter');
    expect(player).toHaveAttribute('src', '/files/outputs/film');
    expect(player).toHaveAttribute('poster', '/files/outputs/poster');
    expect(container.querySelector('track')).toHaveAttribute('src', '/files/outputs/vtt');
    expect(container.querySelector('track')).toHaveProperty('default', true);
    const links = within(screen.getByRole('list', { name: 'Downloads' })).getAllByRole('link');
    expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['Film (MP4)', '/files/outputs/film?download=1'],
      ['Poster', '/files/outputs/poster?download=1'],
      ['Captions (SRT)', '/files/outputs/srt?download=1'],
      ['Captions (VTT)', '/files/outputs/vtt?download=1'],
      ['All shots (ZIP)', `/files/dramas/${COMPOSITE_ID}/shots.zip`],
    ]);
  });

  it('done: draws no second captions over those of the picture', async () => {
    const drama = makeDoneDrama();
    const { container } = show({ ...drama, settings: { ...drama.settings, captions: 'burnt' } });
    await screen.findByLabelText('Film: The letter');
    expect(container.querySelector('track')).toBeNull();
  });

  it('failed to compose: says what is missing, keeps the shots and puts them together later', async () => {
    const drama = makeDoneDrama({
      film: null,
      composeProblem: 'ffmpeg 5 or newer is missing on this server.',
    });
    const { dramas } = show({ ...drama, phase: 'composing', task: { ...drama.task, status: 'failed' } });
    expect(await screen.findByText('ffmpeg 5 or newer is missing on this server.')).toBeVisible();
    expect(screen.getByRole('link', { name: 'All shots (ZIP)' })).toBeVisible();
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Captions' }), 'none');
    await userEvent.click(screen.getByRole('button', { name: 'Put the film together' }));
    await waitFor(() =>
      expect(dramas.redo.mock.lastCall?.[0]).toMatchObject({
        taskId: COMPOSITE_ID,
        redo: [],
        captions: 'none',
      }),
    );
  });

  it('stopped before its shots: has nothing to put together, but its parts can be made', async () => {
    const drama = makeDrama({ shots: [{ id: 's1', picture: null, clip: null, voice: null }] });
    show({ ...drama, task: { ...drama.task, status: 'cancelled' } });
    expect(await screen.findByText('There is no film.')).toBeVisible();
    expect(screen.getByText('Nothing was started.')).toBeVisible();
    expect(screen.getByText('Make parts of shot 1 anew')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Put the film together' })).toBeNull();
  });

  it('hands pause and cancel to the procedures that all composites share', async () => {
    const { composites, generation } = show(makeDrama());
    await userEvent.click(await screen.findByRole('button', { name: 'Pause' }));
    await waitFor(() => expect(composites.pause).toHaveBeenCalledWith({ taskId: COMPOSITE_ID }));
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    await userEvent.click(screen.getByRole('button', { name: 'Cancel it now' }));
    await waitFor(() => expect(generation.cancel).toHaveBeenCalledWith({ taskId: COMPOSITE_ID }));
  });

  it('is a 404 for a drama that is not there', async () => {
    const { context } = setUp([]);
    const request = new Request('https://site.example.com/workbench/dramas/x');
    const thrown = await loader({ request, params: { taskId: OTHER_ID }, context } as never).catch(
      (e: unknown) => e,
    );
    expect(thrown).toMatchObject({ status: 404 });
  });

  it.each<[string, DramaView]>([
    ['review', makeDrama()],
    ['shots', makeDrama({ phase: 'shots', shots: [makeDoneParts('s1')], characters: { c1: makePart() } })],
    ['done', makeDoneDrama()],
  ])('has no accessibility violation: %s', async (_phase, view) => {
    const { container } = show(view);
    await screen.findByRole('heading', { level: 1, name: 'The letter' });
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
  });
});

describe('making parts of a shot anew', () => {
  async function open() {
    const shown = show(makeDoneDrama());
    await userEvent.click(await screen.findByText('Make parts of shot 2 anew'));
    const form = screen.getByRole('form', { name: 'Make parts of shot 2 anew' });
    return { ...shown, form: within(form) };
  }

  it('says what only these parts cost before it is pressed', async () => {
    const { dramas, form } = await open();
    expect(form.getByRole('button', { name: 'Make anew' })).toBeDisabled();
    await userEvent.click(form.getByRole('checkbox', { name: /New voice, 2 credits/ }));
    await userEvent.click(form.getByRole('button', { name: 'Make anew for 2 credits' }));
    await waitFor(() =>
      expect(dramas.redo.mock.lastCall?.[0]).toMatchObject({
        taskId: COMPOSITE_ID,
        redo: [{ shotId: 's2', part: 'voice', words: 'Until the bottle.' }],
        quotedCredits: 2,
        requestKey: expect.stringMatching(/-s2$/),
      }),
    );
  });

  it('takes the clip along with a new picture, and says what it means not to', async () => {
    const { form } = await open();
    await userEvent.click(form.getByRole('checkbox', { name: /New picture/ }));
    expect(form.getByRole('checkbox', { name: /New clip/ })).toBeChecked();
    expect(form.getByRole('button', { name: 'Make anew for 14 credits' })).toBeEnabled();
    await userEvent.click(form.getByRole('checkbox', { name: /New clip/ }));
    expect(form.getByText(/still made of the old picture/)).toBeVisible();
  });

  it('asks for the price of other words before they can be sent', async () => {
    const cost = { pictureCredits: 4, clipCredits: 10, voiceCredits: 7 };
    const quote = makeDramaQuote({ shots: { s1: cost, s2: cost, s3: cost } });
    const answer = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ quote }));
    try {
      const { form } = await open();
      await userEvent.click(form.getByRole('checkbox', { name: /New voice/ }));
      await userEvent.type(form.getByRole('textbox', { name: 'Words for the voice' }), ' And then');
      expect(form.getByRole('button', { name: /Make anew/ })).toBeDisabled();
      expect(await form.findByRole('button', { name: 'Make anew for 7 credits' })).toBeEnabled();
      const [url, init] = answer.mock.lastCall ?? [];
      expect(url).toBe('/workbench/dramas/quote');
      expect(JSON.parse(String(init?.body)).plan.shots[1].narration).toBe('Until the bottle. And then');
    } finally {
      answer.mockRestore();
    }
  });
});

describe('versions', () => {
  const versions: DramaView['versions'] = [
    { taskId: OTHER_ID, status: 'succeeded', submittedAt: AT },
    { taskId: COMPOSITE_ID, status: 'succeeded', submittedAt: AT },
  ];

  it('shows two side by side', async () => {
    const film = { videoUrl: '/files/outputs/old', posterUrl: null, seconds: 12, captions: null };
    const older = makeDoneDrama({ taskId: OTHER_ID, versions, film });
    show(makeDoneDrama({ versions }), { query: `?compare=${OTHER_ID}`, others: [older] });
    const compare = within(await region('Two versions side by side'));
    expect(compare.getByLabelText('Film: The letter, version 1')).toHaveAttribute(
      'src',
      '/files/outputs/old',
    );
    expect(compare.getByLabelText('Film: The letter, version 2')).toHaveAttribute(
      'src',
      '/files/outputs/film',
    );
  });

  it('links to each, and from an older one to the newest', async () => {
    show(makeDoneDrama({ versions: [...versions].reverse() }));
    const panel = within(await region('Versions'));
    expect(panel.getByRole('link', { name: 'Compare with version 2' })).toHaveAttribute(
      'href',
      expect.stringContaining(`?compare=${OTHER_ID}`),
    );
    expect(panel.getByRole('link', { name: 'Open the newest' })).toHaveAttribute(
      'href',
      `/workbench/dramas/${OTHER_ID}`,
    );
  });

  it('does not lose the page over another version that is not there, or is of other work', async () => {
    show(makeDoneDrama(), { query: `?compare=${OTHER_ID}`, others: [makeDoneDrama({ taskId: OTHER_ID })] });
    await screen.findByLabelText('Film: The letter');
    expect(screen.queryByRole('region', { name: 'Two versions side by side' })).toBeNull();
  });

  it('goes back by putting an older one together again, as a new version', async () => {
    const { dramas } = show(makeDoneDrama());
    await userEvent.click(await screen.findByRole('button', { name: 'Put it together again' }));
    await waitFor(() => expect(dramas.redo.mock.lastCall?.[0]).toMatchObject({ redo: [], captions: 'soft' }));
  });
});

describe('the price of a storyboard while it is edited', () => {
  async function ask(body: string) {
    const { context, dramas } = setUp([]);
    const request = new Request('https://site.example.com/workbench/dramas/quote', { method: 'POST', body });
    return { response: await quoteAction({ request, params: {}, context } as never), dramas };
  }

  it('is the answer of the procedure', async () => {
    const { response } = await ask(JSON.stringify({ taskId: COMPOSITE_ID, plan: makeDrama().plan }));
    expect(await response.json()).toEqual({ quote: makeDramaQuote() });
  });

  it('is refused in a sentence for what is no storyboard', async () => {
    const { response, dramas } = await ask('{"taskId":1}');
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: 'This storyboard has no price: it is not complete.' });
    expect(dramas.quote).not.toHaveBeenCalled();
  });
});
