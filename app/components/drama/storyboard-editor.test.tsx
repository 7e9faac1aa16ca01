import type { ActionFunction } from '@remix-run/node';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { makeDrama, makeDramaQuote, makePlan } from '#app/testing/drama-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { DramaPlan, DramaView } from '#server/generation/drama/schemas.ts';
import type { DramaAnswer } from './drama-answer.ts';
import { StoryboardEditor } from './storyboard-editor.tsx';
import { type AskPlanQuote, QuoteRefused } from './use-plan-quote.ts';

const URL = '/workbench/dramas/0190a0b0-0000-7000-8000-0000000000a1';

type SetUp = {
  view?: Partial<DramaView>;
  answers?: (DramaAnswer | null)[];
  askQuote?: AskPlanQuote;
};

type Newer = Pick<DramaView, 'planVersion'> & { plan: DramaPlan };

/** The editor in a page whose loader can bring another plan. */
function Page({ view, askQuote, onReady }: SetUp & { onReady: (show: (newer: Newer) => void) => void }) {
  const [newer, setNewer] = useState<Newer | null>(null);
  onReady(setNewer);
  const drama = makeDrama({ ...view, ...newer });
  return <StoryboardEditor view={{ ...drama, plan: drama.plan ?? makePlan() }} askQuote={askQuote} />;
}

function setUp({ answers = [], ...page }: SetUp = {}) {
  const sent: Record<string, string>[] = [];
  let show: (newer: Newer) => void = () => {};
  const action: ActionFunction = async ({ request }) => {
    sent.push(
      Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)])),
    );
    return answers[sent.length - 1] ?? { wayOn: URL };
  };
  const view = renderInApp(<Page {...page} onReady={(ready) => (show = ready)} />, { url: URL, action });
  return { sent, showNewer: (newer: Newer) => act(() => show(newer)), ...view };
}

const shots = async () =>
  within(await screen.findByRole('region', { name: 'Shots' }))
    .getAllByRole('group', { name: /^Shot \d+$/ })
    .map((group) => within(group).getByRole<HTMLTextAreaElement>('textbox', { name: 'Picture' }).value);
const saveButton = () => screen.getByRole('button', { name: 'Save' });
const startButton = () => screen.getByRole('button', { name: 'Start the shots' });

describe('the storyboard editor', () => {
  it('moves shots by buttons, keeps the focus on them and says what happened', async () => {
    const user = userEvent.setup();
    setUp();
    const button = await screen.findByRole('button', { name: 'Move shot 1 down' });
    button.focus();
    await user.keyboard('{Enter}');
    expect(await shots()).toEqual(['A bottle in the surf', 'A lighthouse in fog', 'Hands with a letter']);
    expect(screen.getByText('Shot 1 is now shot 2 of 3.')).toHaveAttribute('aria-live', 'polite');
    expect(screen.getByRole('button', { name: 'Move shot 2 down' })).toHaveFocus();
    await user.keyboard('{Enter}');
    expect(screen.getByRole('button', { name: 'Move shot 3 up' })).toHaveFocus();
  });

  it('adds a shot where it was asked for and goes there', async () => {
    const user = userEvent.setup();
    setUp();
    await user.click(await screen.findByRole('button', { name: 'Add a shot after shot 1' }));
    expect(await shots()).toEqual(['A lighthouse in fog', '', 'A bottle in the surf', 'Hands with a letter']);
    await user.keyboard('The stairs');
    expect((await shots())[1]).toBe('The stairs');
  });

  it('removes a shot and puts it back', async () => {
    const user = userEvent.setup();
    setUp();
    await user.click(await screen.findByRole('button', { name: 'Remove shot 2' }));
    expect(await shots()).toHaveLength(2);
    expect(screen.getByText('Shot 2 was removed.', { selector: 'p' })).toBeVisible();
    const undo = screen.getByRole('button', { name: 'Put it back' });
    expect(undo).toHaveFocus();
    await user.keyboard('{Enter}');
    expect((await shots())[1]).toBe('A bottle in the surf');
  });

  it('sends nothing that has errors: it shows them at their fields and goes to the first', async () => {
    const user = userEvent.setup();
    const { sent } = setUp();
    const first = await screen.findByTestId('shot-s1');
    const picture = within(first).getByRole('textbox', { name: 'Picture' });
    await user.clear(picture);
    await user.clear(within(screen.getByTestId('shot-s2')).getByRole('spinbutton', { name: 'Seconds' }));
    expect(picture).not.toHaveAttribute('aria-invalid', 'true');
    await user.click(saveButton());
    await waitFor(() => expect(picture).toHaveFocus());
    expect(picture).toHaveAccessibleDescription(/Describe the picture of this shot\./);
    expect(screen.getByText('Enter whole seconds.')).toBeVisible();
    expect(screen.getByRole('alert')).toHaveTextContent('2 fields need your attention');
    expect(sent).toEqual([]);
  });

  it('shows what the server says of a field', async () => {
    const user = userEvent.setup();
    setUp({ answers: [{ error: 'Too long.', planErrors: { 'shots.0.narration': 'Too long.' } }] });
    await user.type(await screen.findByRole('textbox', { name: 'Style' }), '!');
    await user.click(saveButton());
    expect(
      await within(screen.getByTestId('shot-s1')).findByRole('textbox', {
        name: 'Narration',
        description: /Too long/,
      }),
    ).toBeInvalid();
  });

  it('saves the plan with the version that was edited, then starts that one at its price', async () => {
    const user = userEvent.setup();
    const { sent, showNewer } = setUp({ answers: [{ saved: { planVersion: 2 } }] });
    await user.type(await screen.findByRole('textbox', { name: 'Style' }), ', soft');
    expect(startButton()).toBeDisabled();
    await user.click(saveButton());
    await waitFor(() => expect(sent).toHaveLength(1));
    const plan = makePlan({ style: 'Watercolour, soft' });
    expect(sent[0]).toMatchObject({ intent: 'save', planVersion: '1' });
    expect(JSON.parse(sent[0]?.plan ?? '')).toEqual(plan);
    // The page loads what was saved: no conflict, and the price is that of the saved plan.
    showNewer({ planVersion: 2, plan });
    await waitFor(() => expect(startButton()).toBeEnabled());
    expect(screen.queryByText(/changed somewhere else/)).toBeNull();
    await user.click(startButton());
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]).toEqual({ intent: 'start', planVersion: '2', quotedCredits: '52' });
  });

  it('takes over a newer plan at once where nothing was changed here', async () => {
    const { showNewer } = setUp();
    await screen.findByTestId('shot-s1');
    showNewer({ planVersion: 2, plan: makePlan({ title: 'Another title' }) });
    expect(screen.getByDisplayValue('Another title')).toBeVisible();
    expect(screen.queryByText(/changed somewhere else/)).toBeNull();
  });

  it.each([
    ['Keep mine', 'The lost letter'],
    ['Take the newer one', 'Another title'],
  ])('explains a conflict and goes on: %s', async (button, title) => {
    const user = userEvent.setup();
    const { sent, showNewer } = setUp({
      answers: [{ error: 'The storyboard was changed in another window.', conflict: true }],
    });
    const field = await screen.findByDisplayValue('The letter');
    await user.clear(field);
    await user.type(field, 'The lost letter');
    await user.click(saveButton());
    await waitFor(() => expect(sent).toHaveLength(1));
    showNewer({ planVersion: 2, plan: makePlan({ title: 'Another title' }) });
    expect(await screen.findByText('This storyboard was changed somewhere else')).toBeVisible();
    expect(saveButton()).toBeDisabled();
    await user.click(screen.getByRole('button', { name: button }));
    expect(screen.getByDisplayValue(title)).toBeVisible();
    expect(screen.queryByRole('alert')).toBeNull();
    if (button === 'Keep mine') {
      await user.click(saveButton());
      await waitFor(() => expect(sent[1]).toMatchObject({ intent: 'save', planVersion: '2' }));
    }
  });

  it('shows the price of every shot and of all, and asks for it anew after a change', async () => {
    const user = userEvent.setup();
    const askQuote = vi.fn<AskPlanQuote>(async () => makeDramaQuote({ totalCredits: 60 }));
    setUp({ askQuote });
    expect(await screen.findByTestId('total')).toHaveTextContent('52 credits 3 shots · 0:15');
    expect(screen.getByTestId('shot-s1')).toHaveTextContent('16 credits 4 picture + 10 clip + 2 voice');
    expect(askQuote).not.toHaveBeenCalled();
    await user.type(screen.getByRole('textbox', { name: 'Style' }), '!');
    await waitFor(() => expect(screen.getByTestId('total')).toHaveTextContent('60 credits'));
    // What is shown is not what is saved: another plan than this one would be started.
    expect(startButton()).toBeDisabled();
  });

  it('says why a plan has no price, and does not start it', async () => {
    const askQuote: AskPlanQuote = () =>
      Promise.reject(new QuoteRefused('Film One is not offered any more.'));
    setUp({ view: { quote: null }, askQuote });
    expect(await screen.findByText('Film One is not offered any more.')).toBeVisible();
    expect(startButton()).toBeDisabled();
  });

  it('does not start what cannot be paid for', async () => {
    setUp({ view: { quote: makeDramaQuote({ affordable: false, balanceCredits: 3 }) } });
    expect(await screen.findByText(/the shots need 52 credits, you have 3 credits/)).toBeVisible();
    expect(startButton()).toBeDisabled();
  });

  it('keeps a locked shot from being changed, and saves the lock with it', async () => {
    const user = userEvent.setup();
    const { sent } = setUp();
    await user.click(await screen.findByRole('button', { name: 'Lock shot 1 against changes' }));
    const shot = within(screen.getByTestId('shot-s1'));
    expect(shot.getByRole('textbox', { name: 'Picture' })).toHaveAttribute('readonly');
    expect(shot.getByRole('button', { name: 'Remove shot 1' })).toBeDisabled();
    await user.click(saveButton());
    await waitFor(() => expect(sent).toHaveLength(1));
    const saved: DramaPlan = JSON.parse(sent[0]?.plan ?? '{}');
    expect(saved.shots.map(({ locked }) => locked)).toEqual([true, undefined, undefined]);
    await user.click(shot.getByRole('button', { name: 'Lock shot 1 against changes' }));
    expect(shot.getByRole('textbox', { name: 'Picture' })).not.toHaveAttribute('readonly');
  });

  it('has no motion without clips and nobody who speaks without voices', async () => {
    const { settings } = makeDrama();
    setUp({ view: { settings: { ...settings, models: { storyboard: 'words', picture: 'paint' } } } });
    const shot = within(await screen.findByTestId('shot-s1'));
    expect(shot.queryByRole('textbox', { name: 'Motion' })).toBeNull();
    expect(shot.queryByRole('combobox', { name: 'Spoken by' })).toBeNull();
    expect(shot.getByRole('textbox', { name: 'Caption' })).toBeVisible();
  });

  it('warns before unsaved changes are lost with the tab', async () => {
    const user = userEvent.setup();
    setUp();
    await screen.findByTestId('shot-s1');
    const leave = () => {
      const event = new Event('beforeunload', { cancelable: true });
      window.dispatchEvent(event);
      return event.defaultPrevented;
    };
    expect(leave()).toBe(false);
    await user.type(screen.getByRole('textbox', { name: 'Style' }), '!');
    await waitFor(() => expect(leave()).toBe(true));
    await user.click(screen.getByRole('button', { name: 'Discard changes' }));
    await waitFor(() => expect(leave()).toBe(false));
    expect(screen.getByRole('textbox', { name: 'Style' })).toHaveValue('Watercolour');
  });

  it('has no accessibility violation', async () => {
    const user = userEvent.setup();
    const { container } = setUp();
    await user.clear(await screen.findByRole('textbox', { name: 'Style' }));
    await user.click(screen.getByRole('button', { name: 'Remove shot 3' }));
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
  });
});
