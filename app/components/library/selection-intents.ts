import { readTrpcError } from '#app/lib/trpc-errors.ts';
import type { AppRouter } from '#server/trpc/root.ts';

/** What can be done with chosen files. `favorite:<id>` and `unfavorite:<id>` are the stars of single files. */
type Done = 'trash' | 'restore' | 'favorite' | 'unfavorite' | 'add' | 'move' | 'takeOut' | 'delete';

export type SelectionReply =
  | { done: Done; count: number; outputIds: string[]; someKept: boolean }
  /** To be confirmed first. */
  | { ask: 'delete'; outputIds: string[] }
  | { compare: string[] }
  | { error: 'chooseFiles' | 'chooseCollection' | 'chooseTwo' | 'lost' }
  | { message: string };

type Library = ReturnType<AppRouter['createCaller']>['library'];

/** Carries out what the form of the library asks for. Expected refusals are part of the answer. */
export async function runSelection(
  form: FormData,
  library: Library,
): Promise<{ reply: SelectionReply; status: number }> {
  try {
    const reply = await run(form, library);
    return { reply, status: 'error' in reply ? 400 : 200 };
  } catch (error) {
    const known = readTrpcError(error);
    if (!known) throw error;
    return { reply: { message: known.message }, status: known.status };
  }
}

async function run(form: FormData, library: Library): Promise<SelectionReply> {
  const [intent = '', single] = textOf(form, 'intent').split(':');
  const outputIds = single ? [single] : form.getAll('output').map(String);
  if (outputIds.length === 0) return { error: 'chooseFiles' };
  const collectionId = textOf(form, 'collection');
  const from = textOf(form, 'from') || undefined;
  switch (intent) {
    case 'favorite':
    case 'unfavorite':
      return done(intent, await library.favorite({ outputIds, favorite: intent === 'favorite' }), outputIds);
    case 'trash':
      return done(intent, await library.trash({ outputIds }), outputIds);
    case 'restore':
      return done(intent, await library.restore({ outputIds }), outputIds);
    case 'delete':
      return { ask: 'delete', outputIds };
    case 'delete-confirmed':
      return done('delete', await library.deleteForGood({ outputIds }), outputIds);
    case 'compare':
      return outputIds.length === 2 ? { compare: outputIds } : { error: 'chooseTwo' };
    case 'add':
    case 'move': {
      if (!collectionId) return { error: 'chooseCollection' };
      await library.collections.addOutputs({
        collectionId,
        outputIds,
        from: intent === 'move' ? from : undefined,
      });
      return done(intent, { outputIds }, outputIds);
    }
    case 'take-out':
      if (!from) return { error: 'chooseCollection' };
      await library.collections.removeOutputs({ collectionId: from, outputIds });
      return done('takeOut', { outputIds }, outputIds);
    default:
      throw new Response('This form is not known. Reload the page and try again.', { status: 400 });
  }
}

const done = (
  what: Done,
  { outputIds }: { outputIds: string[] },
  asked: readonly string[],
): SelectionReply => ({
  done: what,
  count: outputIds.length,
  outputIds,
  someKept: what === 'trash' && outputIds.length < asked.length,
});

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
