import type { Deps } from '#server/deps.ts';
import { readTasks } from '../queries.ts';
import { isComposite, leafKind } from '../status.ts';
import { findOutput, listUploads } from './prompt-queries.ts';
import type { PrefillInput, PrefillView, ReferenceView } from './schemas.ts';

/**
 * An order to start with: kind, model, prompt, parameters and files of an earlier task of this person, and an output of
 * theirs as a reference. What is not there (any more) is left out, so that no link can break the page.
 */
export async function readPrefill(
  deps: Pick<Deps, 'db'>,
  input: PrefillInput & { userId: string },
): Promise<PrefillView> {
  const [bundle] = input.from ? await readTasks(deps.db, input.userId, [input.from]) : [];
  const usable = bundle && !isComposite(bundle.task.kind) ? bundle : undefined;
  const asked = usable?.details.referenceIds ?? [];
  const [found, output] = await Promise.all([
    listUploads(deps.db, input.userId, asked),
    input.reference ? findOutput(deps.db, { userId: input.userId, outputId: input.reference }) : undefined,
  ]);
  const files = asked.flatMap((id) => {
    const upload = found.find((each) => each.id === id);
    return upload ? [toUploadReference(upload)] : [];
  });
  return {
    order: usable
      ? {
          kind: leafKind(usable.task.kind),
          model: usable.details.snapshot.modelSlug,
          prompt: usable.details.prompt,
          params: usable.details.params,
        }
      : null,
    references: output ? [...files, toOutputReference(output)] : files,
    missingReferences: asked.length - files.length,
  };
}

function toUploadReference(upload: {
  id: string;
  fileName: string;
  mime: string;
  bytes: number;
}): ReferenceView {
  const { id, fileName, mime, bytes } = upload;
  const url = `/files/uploads/${id}`;
  return { id, name: fileName, mime, bytes, url, previewUrl: mime.startsWith('image/') ? url : null };
}

function toOutputReference(output: NonNullable<Awaited<ReturnType<typeof findOutput>>>): ReferenceView {
  const { id, kind, ordinal, mime, bytes } = output;
  const url = `/files/outputs/${id}`;
  const isPicture = mime.startsWith('image/');
  const previewUrl = output.previewKey ? `${url}/preview` : isPicture ? url : null;
  return { id, name: `${kind}-${ordinal + 1}`, mime, bytes, url, previewUrl };
}
