import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { readParameters } from '#app/components/parameters/parameter-values.ts';
import { dropForeign, dropKept } from '#app/lib/kept-drafts.ts';
import type { PrefillView } from '#server/generation/prompts/schemas.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import type { Kind } from '#server/generation/status.ts';
import { type ComposerDraft, filesThatAreThere, readDraft, writeDraft } from './composer-draft.ts';
import type { usePromptText } from './use-prompt-text.ts';
import type { Uploads } from './use-uploads.ts';

/** Where what is in the form came from, when the reader did not type it. */
export type StartNote = 'draft' | 'draftWithoutFiles' | 'reused' | 'reusedWithoutFiles' | 'discarded' | null;

/** Parameters to start with, for one model; `turn` grows with each set, so that the fields are made anew. */
export type GivenParameters = { model: string | null; params: Record<string, unknown>; turn: number };

type StartInput = {
  formRef: RefObject<HTMLFormElement>;
  model: ModelView;
  /** Whose drafts; undefined: none are kept. */
  owner: string | undefined;
  prefill: PrefillView | null;
  /** Empty places before the files that it brings. */
  prefillGap: number;
  /** The form came back from the server with its own values, which stay. */
  isReply: boolean;
  uploads: Uploads;
  text: ReturnType<typeof usePromptText>;
  /** Shows another model of the kind, where the address names none. */
  onModel: ((slug: string) => void) | undefined;
};

/**
 * What the form starts with: the order or the reference that the address brings along, else the draft of this kind. Keeps
 * the draft while the form is filled in.
 */
export function useStart(input: StartInput) {
  const { formRef, model, owner, prefill, uploads, text } = input;
  const { kind } = model;
  const [note, setNote] = useState<StartNote>(() => noteOf(prefill));
  const [given, setGiven] = useState<GivenParameters>(() => givenBy(prefill, 0));
  const latest = useRef(input);
  latest.current = input;

  const give = useCallback((params: Record<string, unknown>, slug: string | null) => {
    setGiven((last) => ({ model: slug, params, turn: last.turn + 1 }));
  }, []);

  // A draft that is half in the form is not kept in the place of the whole.
  const isRestoring = useRef(false);
  const restore = useCallback(
    async (draft: ComposerDraft) => {
      const { prefill: brought, onModel, model: shown } = latest.current;
      isRestoring.current = true;
      text.replace(draft.prompt);
      text.forget();
      give(draft.params, draft.model);
      if (brought === null && draft.model !== shown.slug) onModel?.(draft.model);
      setNote('draft');
      if (brought === null && draft.references.length > 0) {
        const there = await filesThatAreThere(draft.references);
        latest.current.uploads.replace(there);
        if (there.length < draft.references.length) setNote('draftWithoutFiles');
      }
      isRestoring.current = false;
    },
    [text.replace, text.forget, give],
  );

  // Once per kind, and once at the start: what was typed before the scripts were there stays.
  const shownKind = useRef<Kind | null>(null);
  useEffect(() => {
    const isFirst = shownKind.current === null;
    if (shownKind.current === kind) return;
    shownKind.current = kind;
    if (owner === undefined) return;
    if (isFirst) dropForeign(owner);
    const { prefill: brought, isReply } = latest.current;
    if (isFirst && (isReply || brought?.order || text.read() !== '')) return;
    if (!isFirst) setNote(null);
    const draft = readDraft(owner, kind);
    if (draft) void restore(draft);
  }, [kind, owner, restore, text.read]);

  // A link on the page itself brings another order along.
  const applied = useRef(JSON.stringify(prefill));
  useEffect(() => {
    // A loader that runs again brings the same.
    const brought = JSON.stringify(prefill);
    if (applied.current === brought) return;
    applied.current = brought;
    if (prefill === null) return;
    if (prefill.order) text.replace(prefill.order.prompt);
    latest.current.uploads.replace(prefill.references, latest.current.prefillGap);
    setGiven((last) => givenBy(prefill, last.turn + 1));
    setNote(noteOf(prefill));
  }, [prefill, text.replace]);

  const keep = useCallback(() => {
    const { owner: whose, model: of, uploads: files } = latest.current;
    if (whose === undefined || !formRef.current || isRestoring.current) return;
    const data = new FormData(formRef.current);
    writeDraft(whose, of.kind, {
      model: of.slug,
      prompt: String(data.get('prompt') ?? ''),
      params: readParameters(data, of.parameters),
      references: files.uploads.flatMap(toKeptFile),
    });
  }, [formRef]);

  // Files come and go without an input event.
  const isFirstList = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list is the reason to keep it
  useEffect(() => {
    if (isFirstList.current) isFirstList.current = false;
    else keep();
  }, [uploads.uploads, keep]);

  const drop = useCallback((of: Kind) => {
    if (latest.current.owner !== undefined) dropKept(latest.current.owner, of);
    setNote(null);
  }, []);

  const discard = useCallback(() => {
    text.replace('');
    latest.current.uploads.clear();
    give({}, null);
    setNote('discarded');
  }, [text.replace, give]);

  return { note, given, give, keep, drop, discard, forgetNote: useCallback(() => setNote(null), []) };
}

const givenBy = (prefill: PrefillView | null, turn: number): GivenParameters => ({
  model: prefill?.order?.model ?? null,
  params: prefill?.order?.params ?? {},
  turn,
});

function noteOf(prefill: PrefillView | null): StartNote {
  if (!prefill?.order) return null;
  return prefill.missingReferences > 0 ? 'reusedWithoutFiles' : 'reused';
}

/** A file as a draft keeps it; a local picture is shown from the server next time. */
function toKeptFile(file: Uploads['uploads'][number]): ComposerDraft['references'] {
  const { name, mime, bytes, state } = file;
  if (state.type !== 'done') return [];
  const url = file.url ?? `/files/uploads/${state.id}`;
  const isLocal = file.previewUrl?.startsWith('blob:') ?? false;
  return [{ id: state.id, name, mime, bytes, url, previewUrl: isLocal ? url : file.previewUrl }];
}
