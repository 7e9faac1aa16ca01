import type { ActionFunction } from '@remix-run/node';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import { makeModel } from '#app/testing/task-fixtures.ts';
import type { PrefillView } from '#server/generation/prompts/schemas.ts';
import { Composer } from './composer.tsx';
import { type ComposerDraft, readDraft, writeDraft } from './composer-draft.ts';

const FILE = {
  id: '0190a0b0-0000-4000-8000-000000000001',
  name: 'dusk.png',
  mime: 'image/png',
  bytes: 4,
  url: '/files/uploads/0190a0b0-0000-4000-8000-000000000001',
  previewUrl: '/files/uploads/0190a0b0-0000-4000-8000-000000000001',
};
const DRAFT: ComposerDraft = {
  model: 'paint',
  prompt: 'A harbour',
  params: { n: 3, size: '1536x1024', seed: 7, style: 'ink', sharpen: false },
  references: [FILE],
};
const IMAGE = makeModel();
const VIDEO = makeModel({ slug: 'clip', kind: 'video', title: 'Clip One' });

beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => new Response(null, { status: 200 })),
  );
});
afterEach(() => vi.unstubAllGlobals());

const promptBox = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Prompt' });

/** A page with two kinds and a link on it that brings an order along. */
function Page({ prefill, onModel }: { prefill?: PrefillView; onModel?: (slug: string) => void }) {
  const [model, setModel] = useState(IMAGE);
  const [brought, setBrought] = useState<PrefillView | null>(prefill ?? null);
  return (
    <>
      <Composer
        model={model}
        action="/"
        balanceCredits={100}
        requestKey="key-from-the-server"
        draftOwner="ada"
        prefill={brought}
        onModel={onModel}
        sendFile={async () => FILE.id}
      />
      <button type="button" onClick={() => setModel(model === IMAGE ? VIDEO : IMAGE)}>
        other kind
      </button>
      <button type="button" onClick={() => setBrought(REUSED)}>
        reuse
      </button>
    </>
  );
}

const REUSED: PrefillView = {
  order: { kind: 'image', model: 'paint', prompt: 'From before', params: { n: 2, size: 'gone', odd: 1 } },
  references: [FILE],
  missingReferences: 1,
};

function setUp(props: Parameters<typeof Page>[0] = {}) {
  const sent: Record<string, string>[] = [];
  const action: ActionFunction = async ({ request }) => {
    sent.push(
      Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)])),
    );
    return { wayOn: '/' };
  };
  return { sent, ...renderInApp(<Page {...props} />, { action }) };
}

it('a draft comes back with prompt, parameters and files, and is gone once it was sent', async () => {
  const user = userEvent.setup();
  writeDraft('ada', 'image', DRAFT);
  writeDraft('bob', 'image', { ...DRAFT, prompt: 'of somebody else' });
  const { sent } = setUp();
  expect(await screen.findByText(/Your draft is back\./)).toBeInTheDocument();
  expect(promptBox()).toHaveValue('A harbour');
  expect(await screen.findByAltText('Reference 1: dusk.png')).toBeInTheDocument();
  expect(screen.getByRole('radio', { name: '3' })).toBeChecked();
  expect(screen.getByRole('radio', { name: '1536x1024' })).toBeChecked();
  expect(screen.getByRole('textbox', { name: 'Style' })).toHaveValue('ink');
  expect(screen.getByRole('switch', { name: 'Sharpen' })).not.toBeChecked();
  expect(screen.getByTestId('cost')).toHaveTextContent('12 credits');
  // Who used this browser before left something: it goes.
  expect(readDraft('bob', 'image')).toBeNull();
  expect(readDraft('ada', 'image')).toEqual(DRAFT);

  await user.click(screen.getByRole('button', { name: 'Generate' }));
  await waitFor(() => expect(promptBox()).toHaveValue(''));
  expect(sent[0]).toMatchObject({ prompt: 'A harbour', 'params.n': '3', 'references[0]': FILE.id });
  expect(readDraft('ada', 'image')).toBeNull();
});

it('what is typed is kept at once and per kind; another kind without a draft takes the prompt along', async () => {
  const user = userEvent.setup();
  const { unmount } = setUp();
  await user.type(promptBox(), 'A harbour');
  await user.click(screen.getByRole('radio', { name: '2' }));
  expect(readDraft('ada', 'image')).toMatchObject({ prompt: 'A harbour', params: { n: 2 } });
  await user.click(screen.getByRole('button', { name: 'other kind' }));
  expect(promptBox()).toHaveValue('A harbour');
  await user.type(promptBox(), ' in motion');
  await user.click(screen.getByRole('button', { name: 'other kind' }));
  await waitFor(() => expect(promptBox()).toHaveValue('A harbour'));
  expect(readDraft('ada', 'video')).toMatchObject({ model: 'clip', prompt: 'A harbour in motion' });
  unmount();
  setUp();
  await waitFor(() => expect(promptBox()).toHaveValue('A harbour'));
});

it('a draft can be discarded, and its words taken back', async () => {
  const user = userEvent.setup();
  writeDraft('ada', 'image', DRAFT);
  setUp();
  await screen.findByAltText('Reference 1: dusk.png');
  await user.click(screen.getByRole('button', { name: 'Discard' }));
  expect(promptBox()).toHaveValue('');
  expect(screen.queryByAltText(/dusk\.png/)).not.toBeInTheDocument();
  expect(screen.getByRole('radio', { name: '1' })).toBeChecked();
  await waitFor(() => expect(readDraft('ada', 'image')).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(promptBox()).toHaveValue('A harbour');
});

it('says when files of a draft are gone, and asks for the model that it was for', async () => {
  vi.mocked(fetch).mockResolvedValue(new Response(null, { status: 404 }));
  writeDraft('ada', 'image', { ...DRAFT, model: 'brush' });
  const onModel = vi.fn();
  setUp({ onModel });
  expect(await screen.findByText(/without files that are gone/)).toBeInTheDocument();
  expect(onModel).toHaveBeenCalledExactlyOnceWith('brush');
  expect(screen.queryByAltText(/dusk\.png/)).not.toBeInTheDocument();
});

it('a draft that cannot be read, or a browser without storage, is no reason to fail', async () => {
  localStorage.setItem('sidelane-draft:ada:image', '{"prompt": 5}');
  const { unmount } = setUp();
  await screen.findByRole('switch', { name: 'Sharpen' });
  expect(promptBox()).toHaveValue('');
  unmount();
  const broken = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  setUp();
  await userEvent.type(promptBox(), 'A');
  expect(promptBox()).toHaveValue('A');
  broken.mockRestore();
});

it('an earlier order is taken over: what still fits, and what is gone is said', async () => {
  writeDraft('ada', 'image', DRAFT);
  setUp({ prefill: REUSED });
  expect(
    screen.getByText(/Filled in from an earlier task; some of its files are gone\./),
  ).toBeInTheDocument();
  expect(promptBox()).toHaveValue('From before');
  expect(screen.getByRole('radio', { name: '2' })).toBeChecked();
  // An option that the model no longer has is left to the default.
  expect(screen.getByRole('radio', { name: '1024x1024' })).toBeChecked();
  expect(document.querySelector('input[name="references[0]"]')).toHaveValue(FILE.id);
  await waitFor(() => expect(screen.getByTestId('cost')).toHaveTextContent('8 credits'));
});

it('a link on the page itself fills the form too, and what was typed can be taken back', async () => {
  const user = userEvent.setup();
  setUp();
  await user.type(promptBox(), 'Half a thought');
  await user.click(screen.getByRole('button', { name: 'reuse' }));
  await waitFor(() => expect(promptBox()).toHaveValue('From before'));
  expect(screen.getByRole('radio', { name: '2' })).toBeChecked();
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(promptBox()).toHaveValue('Half a thought');
});

it('files change places, fail and are sent again, and may be dropped anywhere on the form', async () => {
  const user = userEvent.setup();
  URL.createObjectURL = () => 'blob:preview';
  URL.revokeObjectURL = () => {};
  const send = vi
    .fn<(file: File) => Promise<string>>()
    .mockResolvedValueOnce(FILE.id)
    .mockRejectedValueOnce(new Error('The upload broke off.'))
    .mockResolvedValueOnce('0190a0b0-0000-4000-8000-000000000002');
  renderInApp(
    <Composer
      model={makeModel({ referenceRoles: ['first_frame', 'last_frame'] })}
      action="/"
      balanceCredits={100}
      requestKey="key-from-the-server"
      sendFile={send}
    />,
  );
  const pictures = ['start', 'end'].map((name) => new File([name], `${name}.png`, { type: 'image/png' }));
  const dataTransfer = { files: pictures, types: ['Files'] };
  const form = screen.getByRole('form', { name: 'New image' });
  fireEvent.dragOver(form, { dataTransfer });
  expect(form).toHaveAttribute('data-over');
  fireEvent.drop(form, { dataTransfer });
  expect(form).not.toHaveAttribute('data-over');
  await user.click(await screen.findByRole('button', { name: 'Upload end.png again' }));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Generate' })).toBeEnabled());
  expect(screen.getByAltText('First frame: start.png')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Move end.png earlier' }));
  expect(screen.getByAltText('First frame: end.png')).toBeInTheDocument();
  expect(
    [...document.querySelectorAll('input[name^="references"]')].map((input) => input.getAttribute('value')),
  ).toEqual(['0190a0b0-0000-4000-8000-000000000002', FILE.id]);
});

it('a model that takes no files says so when some are dropped', () => {
  renderInApp(
    <Composer
      model={makeModel({ maxReferences: 0 })}
      action="/"
      balanceCredits={100}
      requestKey="key-from-the-server"
    />,
  );
  const dataTransfer = { files: [new File(['a'], 'a.png', { type: 'image/png' })], types: ['Files'] };
  fireEvent.drop(screen.getByRole('form', { name: 'New image' }), { dataTransfer });
  expect(screen.getByRole('alert')).toHaveTextContent('Paint One takes no reference files.');
});

it('a last frame that an address brings along waits for its first one, and is not sent as the first', async () => {
  const user = userEvent.setup();
  URL.createObjectURL = () => 'blob:preview';
  URL.revokeObjectURL = () => {};
  const FIRST = '0190a0b0-0000-4000-8000-000000000002';
  const sent: Record<string, string>[] = [];
  const action: ActionFunction = async ({ request }) => {
    sent.push(Object.fromEntries(await request.formData()) as Record<string, string>);
    return { wayOn: '/' };
  };
  const model = makeModel({ kind: 'video', referenceRoles: ['first_frame', 'last_frame'] });
  renderInApp(
    <Composer
      model={model}
      action="/"
      balanceCredits={100}
      requestKey="key-from-the-server"
      prefill={{ order: null, references: [FILE], missingReferences: 0 }}
      referenceRole="last_frame"
      sendFile={async () => FIRST}
    />,
    { action },
  );
  expect(screen.getByAltText('Last frame: dusk.png')).toBeInTheDocument();
  await user.type(promptBox(), 'A harbour');
  await user.click(screen.getByRole('button', { name: 'Generate' }));
  expect(await screen.findByText(/^A last frame needs a first one\./)).toBeInTheDocument();
  expect(sent).toHaveLength(0);
  await user.upload(
    screen.getByLabelText('First frame, last frame'),
    new File(['a'], 'dawn.png', { type: 'image/png' }),
  );
  expect(await screen.findByAltText('First frame: dawn.png')).toBeInTheDocument();
  expect(screen.getByAltText('Last frame: dusk.png')).toBeInTheDocument();
  expect(screen.queryByText(/^A last frame needs/)).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Generate' }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({ 'references[0]': FIRST, 'references[1]': FILE.id });
});
