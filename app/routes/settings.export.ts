import { Readable } from 'node:stream';
import { createReadableStreamFromReadable, type LoaderFunctionArgs } from '@remix-run/node';
import { requireUser } from '#app/lib/require-user.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';

/** Everything of the signed-in person as a JSON file, sent piece by piece as it is read. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  requireUser(context, request);
  const pieces = await loadOrThrow(request, context.trpc.account.exportData());
  const day = new Date().toISOString().slice(0, 10);
  return new Response(createReadableStreamFromReadable(Readable.from(bytes(pieces))), {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="sidelane-data-${day}.json"`,
      'cache-control': 'no-store',
    },
  });
}

async function* bytes(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece);
}
