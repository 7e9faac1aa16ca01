import { RemixBrowser } from '@remix-run/react';
import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { loadErrorWords } from '#app/lib/use-error-words.ts';

function hydrate() {
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <RemixBrowser />
      </StrictMode>,
    );
  });
}

/** What the server sent with a refusal on it, and not in English: the first render here has to say the same words. */
const showsRefusal =
  document.documentElement.lang !== 'en' &&
  document.querySelector('[role="alert"], [aria-invalid="true"], [data-refusal]') !== null;

if (showsRefusal) loadErrorWords().then(hydrate, hydrate);
else hydrate();
