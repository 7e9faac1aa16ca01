import { useEffect } from 'react';

const reloadPage = () => window.location.reload();

/**
 * Loads the page anew when the browser brings it back from its memory, as it does for "back" from another site. The
 * kept page still waits for the form that led away, its buttons busy for ever. `reload` is for tests.
 */
export function useReloadWhenRestored(reload: () => void = reloadPage): void {
  useEffect(() => {
    const onShow = (event: PageTransitionEvent) => {
      if (event.persisted) reload();
    };
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, [reload]);
}
