import { readTrpcError } from '#app/lib/trpc-errors.ts';
import type { DocumentAnswer } from './document-upload.tsx';

type ReadDocument = { answer: DocumentAnswer; status: number; unexpected?: unknown };

/** Reads the text of an uploaded document. Whatever goes wrong is a sentence beside the file. */
export async function readDocumentForm(
  form: FormData,
  readDocument: (input: { uploadId: string }) => Promise<{ text: string }>,
): Promise<ReadDocument> {
  try {
    const { text } = await readDocument({ uploadId: String(form.get('uploadId') ?? '') });
    return { answer: { document: { text } }, status: 200 };
  } catch (error) {
    const view = readTrpcError(error);
    if (view) return { answer: { documentError: view.message }, status: view.status };
    const message = 'The file could not be read. Try again, or paste its text.';
    return { answer: { documentError: message }, status: 500, unexpected: error };
  }
}
