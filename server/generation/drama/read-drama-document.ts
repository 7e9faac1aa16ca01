import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { findUpload } from '#server/storage/queries.ts';
import { readDocument } from '#server/storage/read-document.ts';
import { toReferenceFile } from '#server/storage/uploads.ts';

/** The text of a document that the user uploaded. @throws AppError `not_found`, `bad_request` for what is no readable text */
export async function readDramaDocument(
  deps: Pick<Deps, 'db' | 'storage'>,
  input: { userId: string; uploadId: string },
): Promise<{ text: string }> {
  const upload = await findUpload(deps.db, input.uploadId);
  if (upload?.userId !== input.userId) throw new AppError('not_found', 'There is no such file.');
  const bytes = await toReferenceFile(deps.storage, upload, 'reference').read();
  return readDocument(bytes, upload.fileName);
}
