import {
  type ActionFunctionArgs,
  type AppLoadContext,
  createReadableStreamFromReadable,
  type EntryContext,
  type LoaderFunctionArgs,
} from '@remix-run/node';
import { RemixServer } from '@remix-run/react';
import { isbot } from 'isbot';
import { renderToPipeableStream } from 'react-dom/server';
import { CspNonceProvider } from '#app/lib/csp-nonce.tsx';
import { errorWords } from '#app/lib/error-words.ts';
import { learnErrorWords } from '#app/lib/use-error-words.ts';
import { wholeCharacters } from '#app/lib/whole-characters.ts';

learnErrorWords(errorWords);

/** How long loaders may stream, in milliseconds; rendering is aborted a second later so that the rest is flushed. */
export const streamTimeout = 10_000;

type RenderInput = {
  status: number;
  headers: Headers;
  remixContext: EntryContext;
  loadContext: AppLoadContext;
};

/** Renders the page to a stream: at once for people, when all of it is ready for crawlers. */
export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  ...[remixContext, loadContext]: [EntryContext, AppLoadContext]
): Promise<Response> {
  return renderPage(request, { status, headers, remixContext, loadContext });
}

function renderPage(request: Request, input: RenderInput): Promise<Response> {
  const nonce = input.loadContext.cspNonce;
  const waitForAll = isbot(request.headers.get('user-agent') ?? '') || input.remixContext.isSpaMode;

  return new Promise((resolve, reject) => {
    let status = input.status;
    let shellSent = false;

    const send = () => {
      shellSent = true;
      const body = wholeCharacters();
      input.headers.set('Content-Type', 'text/html; charset=utf-8');
      resolve(new Response(createReadableStreamFromReadable(body), { headers: input.headers, status }));
      pipe(body);
    };

    const { pipe, abort } = renderToPipeableStream(
      <CspNonceProvider value={nonce}>
        <RemixServer
          context={input.remixContext}
          url={request.url}
          abortDelay={streamTimeout}
          nonce={nonce}
        />
      </CspNonceProvider>,
      {
        nonce,
        ...(waitForAll ? { onAllReady: send } : { onShellReady: send }),
        onShellError: reject,
        onError(error) {
          status = 500;
          // Errors before the shell reject this promise and are reported by the caller.
          if (shellSent) reportError(error, input.loadContext);
        },
      },
    );
    setTimeout(abort, streamTimeout + 1_000).unref();
  });
}

/** Errors that no route expected. Aborted requests are no errors. */
export function handleError(
  error: unknown,
  { request, context }: LoaderFunctionArgs | ActionFunctionArgs,
): void {
  if (!request.signal.aborted) reportError(error, context);
}

function reportError(error: unknown, context: AppLoadContext): void {
  context.reportError(error);
}
